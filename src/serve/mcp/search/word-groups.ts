import { stem } from './stem.js';

/** What a tool does with things, as far as its name says so. */
export const actions = ['read', 'create', 'change', 'delete', 'send', 'stop', 'start'] as const;
export type ToolAction = (typeof actions)[number];

/** Words for each action. Words of one action in different groups below are related, not equal. */
const actionWords: Readonly<Record<ToolAction, string>> = {
  read: 'get list show read find search fetch view lookup browse query retrieve describe download check see display',
  create: 'create add new make insert append generate open',
  change: 'update change edit modify set rename move adjust patch',
  delete: 'delete remove erase destroy drop discard purge terminate uninstall prune',
  send: 'send post reply forward publish submit',
  stop: 'stop cancel pause abort disable mute deactivate decline undo revert rollback',
  start: 'start run launch trigger execute enable resume restart invoke deploy install',
};

/** Words that mean the same for a tool. */
const equalWords = `
create add new make insert
delete remove erase destroy drop discard
get fetch retrieve read show view display see
find search lookup locate query
list enumerate all
send deliver
update change edit modify alter
run execute invoke trigger
start launch begin boot
stop halt abort shutdown
cancel abort revoke withdraw
move transfer relocate
copy duplicate clone
undo revert rollback reset
merge combine join concat
convert transform
calculate compute
summarize summary shorten
resize scale
picture image photo
folder directory
email mail
file document
message msg dm
chat conversation
meeting appointment event
task todo
issue ticket bug
invoice bill
customer client
user account member
person people somebody colleague
employee staff worker
repository repo
container docker
pod kubernetes
kubernetes k8
cluster kubernetes
vm instance server machine droplet
database db
table sheet
password credential secret
log trace
error exception crash
alert alarm monitor
incident outage
pull merge
pr pullrequest
website site page
url link
song track music
movie video film clip
film clip
parcel package shipment
order purchase
discount coupon
refund reimburse
vacation holiday leave
payslip salary wage
weather forecast
price quote cost
money cash fund
share stock
bucket s3
cost spend usage
phone telephone
sms text
reminder remind
note memo
page article
key token
version release revision
department team
directions route
trip journey
picture screenshot snapshot
dependency library
setting config configuration option
variable env environment
schedule plan
book reserve
buy purchase
answer reply respond response
comment remark
accept approve
reject decline deny
silence mute
turn switch
function method symbol
test spec
worksheet sheet tab
spreadsheet excel workbook xlsx
presentation slide deck powerpoint
word docx
survey form questionnaire
subtitle caption
transcribe transcript
speech voice spoken
translate translation
language lang
paper preprint article
citation cite bibliography reference
ip address
domain hostname
certificate ssl tls
branch fork
history log
diff difference compare
count number total
size length
archive zip
extract unzip unpack
upload put
download save
install setup
deploy publish release
restart reboot
process pid
command shell terminal
`;

/** Words that often stand for each other, but not always: the first word finds the others. */
const relatedWords = `
undo: reset restore revert rollback
last: recent newest previous
newest: recent last
current: now
show: list describe
see: list show
check: get test status verify
open: create read launch
write: create add append edit post insert
save: write create store upload put
store: write put save create
keep: save store
load: read import open
put: upload write add set
upload: put push send
push: upload send
close: update resolve complete stop
finish: complete done resolve
done: complete transition finish
complete: done finish close
mark: set update change transition
set: update change put
assign: update set
turn: toggle
toggle: update switch turn
enable: turn start activate
disable: turn stop deactivate pause
off: stop deactivate
on: start
block: ban deny freeze firewall
ban: block kick
kill: terminate stop end
shut: stop down
empty: clear purge delete
clear: purge delete empty reset
clean: prune clear
free: prune available busy
old: unused previous
inspect: describe get
look: find get search
who: user person owner author
when: time date schedule
where: location track place
why: explain cause analyze
owner: whois author
own: owner
wrote: author blame
changed: blame modified diff
text: sms message
call: request invoke
ring: call
contact: person customer
friend: contact person
boss: manager
client: contact
mail: message inbox
inbox: mail email
unread: inbox
attachment: file
calendar: event appointment
appointment: calendar
meeting: calendar zoom call
invite: attendee guest
invitation: event respond invite
availability: free freebusy
busy: freebusy
free: freebusy available
everybody: attendee team
remember: memory remind store
fact: observation memory knowledge
ticket: support task
sprint: board cycle
kanban: board
card: task
doc: document
wiki: confluence page
article: page
pdf: document
slide: presentation
chart: graph plot diagram
graph: chart plot
column: field schema describe
row: record
record: row item
document: record page
schema: describe column
slow: performance explain
fast: performance
performance: explain health
average: mean statistics describe
sum: total aggregate
sql: query statement database
backup: dump snapshot export
dump: export backup
export: download dump
import: load upload
cache: redis edge
queue: message topic
topic: channel queue
machine: instance compute
server: host instance machine
virtual: vm instance
disk: volume space storage usage
space: disk usage
memory: ram
cpu: top stats
log: output trace event
metric: chart series
alert: incident monitor
oncall: schedule pager
down: outage uptime reachable status
website: uptime url
reachable: ping uptime
certificate: expiry
firewall: port security
port: scan firewall
domain: dns whois
dns: record domain
credential: secret key login
password: login
login: password signin
leave: deactivate absence
vulnerability: cve scan security
hole: vulnerability
leak: secret
secret: credential
infrastructure: terraform resource
preview: plan dry
deployment: rollout release
replica: scale
yaml: manifest
manifest: apply
build: compile
ci: pipeline workflow build job
pipeline: workflow job
workflow: action pipeline run
flag: feature
design: figma layer
icon: asset image
usage: reference use
variable: symbol
everywhere: workspace all
function: lambda
lambda: function
newer: outdated update
outdated: newer version
endpoint: http request api
rest: http api request
api: http endpoint
web: internet browser page
google: search web
internet: web
browse: navigate open
scrape: crawl extract
crawl: scrape
button: click element
form: field input
headline: news
invoice: payment
bill: charge
overdue: aged unpaid receivable
unpaid: aged overdue
debt: owe receivable
profit: revenue income
tax: accounting
balance: account
salary: payroll
currency: exchange
dollar: currency
euro: currency
exchange: convert currency
stock: quote market inventory
share: permission link access
access: permission share
permission: access share policy
role: permission policy
ship: fulfill delivery
deliver: ship
parcel: track shipping
package: parcel track shipping
lead: contact deal
opportunity: deal lead
deal: opportunity
sale: deal order
newsletter: campaign mailing
advert: campaign ad
ad: campaign
visitor: traffic analytics
popular: top most
tweet: post social
post: message publish
react: emoji reaction
thumb: reaction emoji
emoji: reaction
like: reaction
song: playback spotify
play: playback
next: skip
skip: next playback
volume: loud
light: lamp brightness
lamp: light
heat: temperature climate
heating: temperature climate
rain: forecast weather
sun: weather forecast
temperature: weather climate
tomorrow: date day
today: date day
way: directions route
drive: directions route
near: nearby local
nearby: place local
restaurant: place table
coffee: place restaurant
flight: plane ticket
plane: flight
hotel: room
late: delay
delay: status late
cook: recipe meal
eat: meal food
food: recipe meal
calorie: nutrition
train: workout
sport: workout
walk: step
pulse: heart
spelling: grammar
mistake: grammar error
proofread: grammar
correct: grammar fix
key: important main
point: summary main
small: resize compress
smaller: resize compress
bigger: resize
shrink: resize compress
compress: small
cut: trim crop split
trim: cut
split: cut
draw: create image generate
generate: create make
recording: audio
sound: audio
audio: speech
scan: ocr
searchable: ocr
sign: signature
signature: sign signer
contract: envelope document
time: clock timezone
hour: time worklog timesheet
timezone: time
mile: unit kilometer
km: unit kilometer
unit: convert
math: calculate
sha: hash digest
hash: digest
checksum: hash
md5: hash
random: generate
fake: made test anonymize
mock: fake
vector: similar embedding nearest
embedding: vector
similar: related nearest
receipt: expense
expense: receipt
vacation: absence off away responder
office: away vacation
absent: absence out
away: vacation
birthday: contact
print: printer paper
notify: notification
`;

/** Phrases that are one word elsewhere, in their written form. */
const phrases = new Map(
  Object.entries({
    'pull request': 'pullrequest',
    'pull requests': 'pullrequest',
    pr: 'pullrequest',
    prs: 'pullrequest',
    'merge request': 'mergerequest',
    'merge requests': 'mergerequest',
    'to do': 'todo',
    'to dos': 'todo',
    'e mail': 'email',
    'e mails': 'email',
    'roll back': 'rollback',
    'rolls back': 'rollback',
    'on call': 'oncall',
    'look up': 'lookup',
    'shut down': 'shutdown',
    'turn off': 'off switch',
    'turn on': 'on switch',
    'switches off': 'off switch',
    'switches on': 'on switch',
    'set up': 'setup',
    'out of office': 'vacation responder away',
    'time off': 'vacation',
    'days off': 'vacation',
    'free busy': 'freebusy',
    'phone number': 'phone number contact',
    'web site': 'website',
    'web page': 'webpage page',
    'direct message': 'dm message',
    'log in': 'login',
    'sign in': 'login',
    'text message': 'sms message',
    'one time': 'onetime',
  }),
);
const phraseStarts = new Set([...phrases.keys()].map((it) => it.split(' ')[0] as string));

/** How near a word is to the word of the query. */
const equalSimilarity = 0.85;
const relatedSimilarity = 0.5;

const near = new Map<string, Map<string, number>>();
function relate(from: string, to: string, similarity: number): void {
  if (from === to) return;
  const known = near.get(from) ?? new Map<string, number>();
  known.set(to, Math.max(similarity, known.get(to) ?? 0));
  near.set(from, known);
}
for (const line of equalWords.trim().split('\n')) {
  const stems = line.split(' ').map(stem);
  for (const from of stems) for (const to of stems) relate(from, to, equalSimilarity);
}
for (const line of relatedWords.trim().split('\n')) {
  const [word, others] = line.split(': ') as [string, string];
  for (const it of others.split(' ')) relate(stem(word), stem(it), relatedSimilarity);
}
relate('pullrequest', 'mergerequest', equalSimilarity);
relate('mergerequest', 'pullrequest', equalSimilarity);

/** The stems that may stand for a stem, with their similarity below 1. */
export function nearStems(word: string): ReadonlyMap<string, number> {
  return near.get(word) ?? noStems;
}
const noStems: ReadonlyMap<string, number> = new Map();

const actionOfStem = new Map(
  actions.flatMap((action) => actionWords[action].split(' ').map((word) => [stem(word), action] as const)),
);

/** The action of the first stem that has one. */
export function actionOf(stems: readonly string[]): ToolAction | undefined {
  for (const it of stems) {
    const found = actionOfStem.get(it);
    if (found !== undefined) return found;
  }
  return undefined;
}

const longestPhrase = 3;

/** Replaces phrases by their one word. */
export function joinPhrases(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < words.length; ) {
    const isStart = phraseStarts.has(words[at] as string);
    let length = isStart ? Math.min(longestPhrase, words.length - at) : 0;
    let found: string | undefined;
    for (; length > 0; length--) {
      found = phrases.get(words.slice(at, at + length).join(' '));
      if (found !== undefined) break;
    }
    if (found === undefined) joined.push(words[at++] as string);
    else {
      joined.push(...found.split(' '));
      at += length;
    }
  }
  return joined;
}
