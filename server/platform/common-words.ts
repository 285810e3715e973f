/**
 * Words that common passwords are made of: what published leaks show again and again, first names, surnames, teams,
 * places, brands, oaths and endearments of several languages. In lower case; weak-password.ts adds what people append.
 */
export const COMMON_WORDS = new Set(
  `
aaa aaron abc abcd abcdef abigail access acdc adam adams admin administrator adrian adriana africa agent ahmed ajax
albert alberto alejandra alejandro alex alexander alexandra alexis alfredo ali alice alicia allah allen allison
alvarez always alyssa amanda amazing amber america american amor amore amour amy ana anastasia anderson andrea
andreas andrew android andy angel angela angelina angels anna anne annie anthony antonio anybody anything apple april
aquarius argentina aries army arsenal arthur asd asdf asdfg asdfgh asdzxc ashleigh ashley asshole audi august austin
australia autumn avengers awesome azerty azertyuiop babe baby babyboy babygirl backup bacon bailey baker bambi banana
barbara barbie barca barcelona bart baseball basketball bastard batman bayern beach bear bears beatles beautiful
beauty becker beckham beer believe bella ben benfica benjamin bennett berlin besiktas bestfriend betty beyonce bianca
bieber bienvenido bienvenue biggie billy bird birds birthday bismillah bitch bitcoin biteme black blackcat blackjack
blacky bless blessed blessing blink blockchain blossom blue bmw bob bobby boca bonjour bonnie boobs boston boxing boy
boys brad bradley brandon brandy brasil braves brazil brenda brian brianna britney brittany broncos brooke brooklyn
brooks brother brown brownie bruce bryan buddha buddy budweiser bulldog bulldogs bulls bullshit bunny burger business
buster butterfly caitlin california camaro cameron camila campbell canada cancer candy captain caramel carlos carmen
carol carolina caroline carter casey cash casino cassie castillo cat catherine cats catwoman cecilia celtic celtics
champion change changeit changeme charger chargers charizard charles charlie charlotte chavez cheer cheerleader
cheers cheese chelsea cherry chester chevrolet chevy cheyenne chicago chicken children chile china chipper chocolat
chocolate chouchou chris christ christian christina christine christmas christopher church ciao cindy cisco claire
clark claudia clover cocacola cock coco cocorico cody coffee colin college collins colombia colorado company compaq
computer connor contrasena contrasenya cook cookie cookies cool coolio cooper corinthians corona corvette counter
courtney covid cowboy cowboys cowgirl cox crazy creative cricket cristian cristina cruz crypto crystal cubs cupcake
curious cute cutie cyber cynthia dad daddy daisy dakota dallas dance dancer dancing daniel daniela danielle danny
daria darkness darling database dave david davis dean death debbie deborah december default dell demo demon denis
dennis denver derek desire destiny deutschland devil dezember diablo diamond diamonds diana diaz dick diego digital
dinosaur disney dmitry doctor dodgers dog doggie doggy dogs dollar dollars dolphin dolphins dominic donald donkey
donna dontknow doom dorothy dortmund doudou douglas dragon dragonball dream dreamer dreams drowssap drummer drums
ducati duck dude dumbo dylan eagle eagles earth easter eatme eddie eduardo edward edwards eeyore egypt einstein
ekaterina element elena elephant elizabeth ellen elvis emerald emily eminem emma emotion engel england enigma enter
enterprise eric erica erika ernesto escrow espana esther eternity ethan ethereum eva evan evans evelyn everton
everyone everything example explorer express extreme fabian faith falcon family fantasy father februar february
federico felipe felix fender fenerbahce fernanda fernando ferrari feyenoord fire fireman fischer fishing flamengo
flash floppy florence flores florian florida flower flowers flyers football ford forest forever forget forgot formula
fortnite fortune foster fountain france frances francesca francesco francis francisco frank frankie franklin freak
fred freddy freedom fresh friday friend friends friendship frodo frosty fuck fucker fuckit fuckme fuckoff fuckyou
funny fussball futbol gabriel gabriela gabrielle galatasaray galaxy game gamer games gandalf ganesh gangsta gangster
garcia garden garfield gary gateway gemini general genesis genius george gerald gerard germany gerrard ghost giant
giants gina ginger giovanni giraffe girl girls giuseppe gizmo gloria goaway god godisgood godislove godzilla goku
gold golden goldfish golf golfer gomez gonzalez gonzalo goober goodbye goodluck google gordon gorgeous gorilla grace
graham grandma gray green greenday greg gregory grey guest guillermo guinness guitar guitars gustavo gutierrez hacker
hackers hall hallo halloween halo hamburg hammer handsome hannah hans hansolo happiness happy hardcore harley
harleydavidson harmony harold harris harry harrypotter hase haslo hateyou hawaii hawk heather heaven heavens hector
heidi heineken helen helena hello hellokitty help hendrix henry herbst hercules hermes hernandez highland hill hiphop
hobbit hockey hoffmann hogwarts hola holiday holly homer honda honey hope horse horses hotdog hotmail hotrod house
howard hughes hugme hugo hulk hunter hunting ian ibrahim ice icecream ichliebedich idontknow iforgot igor ihateyou
illusion ilove iloveh iloveher iloveit iloveme iloveu iloveyou iloveyouso imagine imissyou impact india indigo
infinity info ingrid insane inshallah inter internet invierno iphone ireland irene irina ironmaiden ironman isaac
isabel isabella island ismail istanbul italia italy ivan jack jackie jackpot jackson jacob jacqueline jaguar jake
james jamie jan jane janet janice januar january japan jared jasmine jason jasper javier jay jean jeff jeffrey
jennifer jenny jeremy jerry jesse jessica jessie jesus jesuschrist jetaime jethro jets jim jimenez jimmy joan joanna
joanne joe joel john johnny johnson joker jonathan jones jordan jorge jose joseph josh joshua joyce juan juanita judy
juice juli julia julian juliana julie july june juni junior jupiter justin justinbieber justine juventus karate karen
karina karl kate katherine kathleen kathryn katie katrina kawasaki kayla keeper keepout keith kelly ken kenneth
kennwort kermit kevin killer kim kimberly king kings kissme kitten kitty klaus knight knights kobe kochanie koeln
korea korn krishna kristen kristin kristina ksenia kyle lacrosse ladies ladybug lakers lamborghini laptop larry
lasvegas laura lauren laurie leah leather lebron ledzeppelin lee legend legolas lemon lenovo leo leon leonardo leslie
lestat letmein letmeinnow lewis liam liberty libra liebe lightning lily linda lindsay lindsey linkinpark linux lion
lisa liverpool lizard logan login logitech logon lola london long lopez lord lorena lorenzo losenord louis louise
loulou love lovely loveme lover loverboy lovergirl lovers loveyou loving lucas lucia lucifer lucky lucy luigi luis
lukas luke luna lydia lyubov maddog madison madonna madrid maggie magic magnum mama manager manchester mango manuel
manutd marc marcel marcela march marco marcos marcus margaret maria mariah marian mariana marie marina marine marines
marino mario marisol mark market marketplace markus marlboro marseille martha martin martina martinez martini marvel
marvin mary mason master mathew matrix matt matteo matthew maurice mauricio mausi maverick max maxim maximus may
mazda megadeth megan mehmet melanie melissa melon mendoza mercedes merlin messi metallica mets mexico meyer mia miami
michael michaela michal michele michelle mickey mickeymouse microsoft midnight miguel mike mikey milan milena miller
mine minecraft minnie miranda missyou mitchell mohamed mohammad mohammed molly mom mommy monday money monica monika
monkey monopoly monster montana moon moonlight moore moose morales morgan morris moscow moskva motdepasse mother
mountain mozart mueller muenchen muffin muhammad mum murphy music musica mustafa mustang myers mylife mylove mypass
mypassword myself mysql mystery nadia naked namaste nancy naomi napoli naruto nascar natalia natalie natasha nathalie
nathan nathaniel navy neil nelson nemesis nemo neptune network newpass newpassword newton newyork neymar nguyen
nicholas nicola nicolas nicole nigger nikita nikki nikolai nina ninja nintendo nirvana nissan noah nobody nokia
nopass nopassword nora norman norton nothing nounours november nugget number nurse obama ocean october office oksana
oktober oleg olga oliver olivia olympia omar omega onedirection onepiece openup oracle orange oreo orlando ortiz
oscar otto ou812 outlaw pablo packard packers pakistan paladin palmeiras pamela panda pandemic pantera panther
panthers paola paolo papa paradise paris parker parol parola pass passat passcode passion passphrase passw password
passwords passwort patches patel patricia patrick patriots paul paula pauline pavel peace peaches peanut pedro
pelican penguin penis people pepper pepsi perfect peru peter peterson phantom philip philipp phillip phillips phoenix
piano picasso picture pierre pikachu pilot pineapple pink pinkfloyd pirate pirates pisces pizza planet platinum
player playstation please pokemon poker poland police polska pony pooh poohbear pookie popcorn porkchop porn porsche
porto postgres potter power predator prelude pretty price prince princesa princess prinzessin private privet promise
psv psycho pumpkin puppy purple pussy putin pyramid python qazwsx quake quality queen qwaszx qwe qweasd qweasdzxc
qwer qwert qwerty qwertz rabbit rachel racing rafael raiders rain rainbow ralph rammstein ramon ramos randy ranger
rangers raquel raul raven ray raymond realmadrid rebecca rebel red reddog redskins redsox redwings reed reggie renata
renee renegade research revenge rex reyes rhino ricardo rich richard richardson rick ricky rihanna riley river rivera
riverplate robert roberta roberto roberts robin robinson roblox robot rock rocket rocknroll rockstar rocky rodrigo
rodriguez roger rogers roland roma roman romeo ronald ronaldo ronnie rooney root rosa rose rosebud roses rosie ross
router roxana roxanne roy ruben rugby ruiz runner rush russell russia ruth ryan sabrina saints salasana sally
salvador sam samantha sammy sample samsung samuel samurai sanders sandra sandwich sandy santiago santos sara sarah sascha
sasuke satan saturday saturn sausage savage schalke schatz schmidt schneider school schulz schumacher scooby
scoobydoo scooter scorpio scorpion scotland scott scotty sean sebastian secret secretkey secrets secure security sega
senha senna september serena sergei sergey sergio server service seven sex sexy sexygirl shadow shakira shane shannon
shaq shark sharon shawn sheila shelby sherlock shirley shit shiva shooter showtime sierra sifre signin silver silvia
simba simon simone simpsons singer sister sixers skate skater skipper skippy skittles sky skywalker slayer slipknot
slut smile smiley smith smokey snake snickers sniper snoopy snow snowball snowboard snowflake snowman soccer sofia
softball soldier soleil somebody something sommer sonia sonic sony sophia sophie sorry spain spanky sparky special
speedy spencer spider spiderman spirit spitfire spongebob sporting spring sprite spunky spurs stacey stallion stanley
star starcraft stars startrek starwars station steelers stefan stefanie stella stephanie stephen steve steven stewart
stingray stitch stocking storm strawberry strike strong stuart student subaru success suckme sugar summer sun
sundance sunday sunflower sunny sunset sunshine super superhero superior superman superstar support surfer surfing
susan susana suzanne suzuki svetlana sweet sweetheart sweetie sweety swimming swordfish sydney sylvia sysadmin system
tamara tania tanya tara target tarzan tatiana taurus taylor tazman teacher teadoro teamo teddy teddybear temp
temporary tennis tequiero tequila teresa terry test tester testing texas thanks thankyou theman theresa thomas
thompson thug thunder thursday tiffany tiger tigers tigger tim timothy tina tinkerbell titanic toby todd together
tokyo tom tomas tomcat tommy toni tony toor topgun torres tottenham toyota tracker tracy travis trevor trial trinity
tristan triumph trouble truelove trump trumpet trustme trustno trustnoone tuesday tupac turkey turkiye turner turtle
twilight tyler tyson ubuntu ukraine ulrich unicorn united universe university usa user username vacation vader
valentin valentina valerie valley vampire vanessa vanilla vegas vegeta venus vera verano veronica vicky victor
victoria victory viking vikings viktor viktoria vincent violet viper virginia virgo vivian vladimir vodka volcano
voldemort volleyball volvo voyager wachtwoord wagner walker wallet walter warcraft ward warrior warriors water watson
wayne weber webster wednesday weekend welcome welkom wendy wesley western whale whatever whiskey whisky white whitney
whore wildcat wildcats william williams willie willkommen willow wilson wind windows windsurf winner winners winnie
winston winter wizard wolf wolfgang wolfpack wolverine wolves wonder wood woody wrestling wright xanadu xavier xbox
xmen xxx xyz yamaha yankees yasmin yellow yoda yolanda yosemite young yuri yusuf yvonne zachary zaphod zaqwsx zebra
zelda zeppelin zidane zoe zombie zorro zxc zxcv zxcvbn zzz`
    .trim()
    .split(/\s+/),
)
