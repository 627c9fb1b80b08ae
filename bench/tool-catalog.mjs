// A thousand tools as an organization could have them: fifty packages, four things each, five tools for each thing.
// And what somebody might ask for, with the tool that is meant. The questions were written from the list of things, in
// everyday words, some with slips; neither they nor the search were changed to fit each other.

/** Package, what it is about, and its things: `noun: what it is`. */
const packages = `
calendar | Team calendars | event: a meeting with its time, place and guests; room: a meeting room with its seats; reminder: a note that comes up at a time; holiday: a day on which nobody works
mailbox | E-mail accounts | message: an e-mail with its attachments; draft: an e-mail that was not sent yet; label: a mark for sorting e-mail; filter: a rule that sorts incoming e-mail
chat | Team chat | channel: a room where a team talks; thread: answers to one chat message; reaction: an emoji under a chat message; member: somebody who belongs to a channel
tickets | Customer support desk | ticket: a problem that a customer reported; macro: a prepared answer for support staff; agent: somebody who answers customers; rating: how content a customer was
billing | Invoices and payments | invoice: a bill for a customer; payment: money that came in; refund: money that went back to a customer; discount: a price cut with a code
ledger | Accounting | account: a line of the books; entry: a booking with debit and credit; report: profit and loss over a period; currency: an exchange rate for the books
shop | Online shop | order: what a customer bought; product: an article with price and description; cart: articles that a visitor put aside; review: what buyers think of an article
stock | Warehouse | item: goods on a shelf with their quantity; shelf: a place in the warehouse; supplier: a company that delivers goods; delivery: goods on their way in
shipping | Parcels | parcel: a package with its tracking number; address: where a parcel goes; carrier: a company that brings parcels; label_print: a sticker with a bar code for a parcel
crm | Sales | lead: somebody who may buy; deal: a sale that is being negotiated; contact: a person at a customer with phone number; pipeline: the steps from first talk to signed contract
people | Human resources | employee: somebody who works here; vacation: days off that somebody asked for; candidate: somebody who applied for a job; payslip: what somebody earned in a month
hiring | Job openings | opening: a job that is advertised; interview: a talk with an applicant; offer: a contract that was proposed to an applicant; scorecard: notes of interviewers
code | Source code hosting | repository: a project under version control; branch: a line of development; pull_request: a proposed change of code; release: a published version with notes
pipeline | Continuous integration | build: a run of the tests for a commit; runner: a machine that runs builds; artifact: a file that a build made; variable: a setting for builds
deploy | Deployments | environment: a place where software runs, such as production; rollout: putting a version into production step by step; rollback: going back to the version before; secret: a password for a running program
monitor | Monitoring | alert: a warning that something is wrong; dashboard: charts of how systems do; metric: numbers over time such as CPU load; probe: a check that a site answers
incident | Incident response | incident: an outage with its timeline; responder: who is on call; postmortem: what was learned from an outage; status_page: what users read during an outage
logs | Log search | log_line: what a program wrote; saved_search: a query for logs that is kept; retention: how long logs stay; parser: a rule that splits log lines into fields
database | SQL databases | table: rows and columns; query: a statement with its result; backup: a copy to restore from; index: what makes a search in a table fast
storage | Object storage | bucket: a container for files in the cloud; object: a file in the cloud; link: an address that lets somebody download a file; policy: who may open a bucket
drive | Shared documents | document: a text that several people write; folder: a place for documents; comment: a remark in a document; share: who may open a document
wiki | Team wiki | page: an article of the wiki; space: a section of the wiki; attachment: a picture or file on a page; template: a page to start others from
tasks | Project planning | task: something to do with owner and due date; project: a list of tasks with a goal; milestone: a date by which things must be ready; sprint: two weeks of work
time | Time tracking | timer: a running stop watch for work; timesheet: hours that somebody worked in a week; rate: what an hour costs; absence: hours somebody was ill
survey | Surveys | survey: questions for many people; answer: what somebody filled in; audience: who gets a survey; chart: results as a picture
ads | Advertising | campaign: advertisements with a budget; creative: picture and words of an advertisement; keyword: a search word that is paid for; conversion: a visitor who bought
newsletter | Newsletters | issue: one mailing to all readers; subscriber: a reader of the newsletter; segment: a group of readers; bounce: a mailing that did not arrive
social | Social media | post: a text with picture for followers; follower: somebody who reads along; hashtag: a word with a hash that people use; schedule: when posts go out
analytics | Web analytics | visit: somebody who looked at the site; funnel: steps until somebody buys; goal: what visitors should do; referrer: where visitors came from
maps | Maps | place: a spot with coordinates; route: the way from one spot to another; zone: an area with a border; traffic: how full the roads are
weather | Weather | forecast: rain, sun and wind of the next days; station: where the weather is measured; warning: a storm or flood to come; climate: averages of many years
travel | Business travel | flight: a seat on an aeroplane; hotel: a night in a room; car: a rental car; trip: all bookings of one journey
expenses | Expense reports | receipt: a photo of a bill; expense: money somebody spent for the company; mileage: kilometres driven with the own car; allowance: money for meals on the road
events | Conferences | session: a talk at a conference; speaker: somebody who gives a talk; attendee: somebody with a ticket for the conference; sponsor: a company that pays for the conference
learning | Online courses | course: lessons about a subject; lesson: a video with exercises; quiz: questions at the end of a lesson; certificate: proof that somebody passed
library | Books | book: a title with author and shelf mark; loan: a book somebody took home; reservation: a book somebody waits for; fine: money for bringing a book back late
clinic | Medical practice | appointment: a time with a doctor; patient: somebody who is treated; prescription: medicine for somebody; vaccination: a jab with its date
fitness | Fitness | workout: a training with exercises; meal: what somebody ate with calories; weight: kilograms over time; goal_step: steps somebody wants to walk a day
kitchen | Restaurant | reservation_table: a table for guests; dish: something on the menu; ingredient: what a dish is made of; shift: when waiters work
farm | Farming | field: a piece of land with its crop; harvest: what was brought in; sensor: soil moisture and temperature; animal: a cow or sheep with its number
energy | Electricity | meter: how much power was used; tariff: what a kilowatt hour costs; panel: a solar panel on a roof; outage_notice: when the power is off
home | Smart home | light: a lamp that can be dimmed; thermostat: the temperature of a room; lock: a door that can be locked; camera: pictures of who is at the door
music | Music | song: a track with artist; playlist: songs in an order; album: songs that came out together; concert: when a band plays
video | Video editing | clip: a piece of film; subtitle: words under a film; render: making the finished film; thumbnail: the small picture of a film
photos | Photo library | photo: a picture with place and date; album_photo: pictures that belong together; face: a person on pictures; edit: crop, brightness and colors of a picture
text | Writing aids | translation: a text in another language; summary: the main points of a text; spelling: mistakes in a text; tone: how friendly a text sounds
legal | Contracts | contract: an agreement with its parties; clause: a paragraph of an agreement; signature: who has signed; deadline: the last day for giving notice
security | Security | vulnerability: a hole in software; scan: a search for holes; certificate_tls: what makes a site encrypted; access_review: who may do what
network | Network | domain: a name on the internet; dns_record: where a name points to; firewall_rule: which traffic gets through; vpn_user: somebody who connects from outside
fleet | Vehicles | vehicle: a car or lorry of the company; driver: somebody who drives for the company; fuel: litres filled up and their price; inspection: when a lorry must be checked
`;

const verbs = [
  ['list', 'get', 'create', 'update', 'delete'],
  ['search', 'show', 'add', 'edit', 'remove'],
  ['find', 'read', 'new', 'change', 'discard'],
  ['browse', 'fetch', 'make', 'modify', 'cancel'],
];
const sentences = [
  (it) => `Lists every ${it.label}, newest first. In ${it.about}, that is ${it.what}.`,
  (it) => `Returns one ${it.label} in full: ${it.what}.`,
  (it) => `Adds a ${it.label} (${it.what}).`,
  (it) => `Changes fields of a ${it.label} that exists: ${it.what}.`,
  (it) => `Removes a ${it.label} for good (${it.what}).`,
];

export function catalog() {
  const lines = packages.trim().split('\n');
  return lines.flatMap((line, at) => {
    const [id, about, things] = line.split('|').map((it) => it.trim());
    return things.split(';').flatMap((thing) => {
      const [noun, what] = thing.split(':').map((it) => it.trim());
      const label = noun.replaceAll('_', ' ');
      return sentences.map((sentence, kind) => ({
        package: id,
        about,
        name: `${verbs[at % verbs.length][kind]}_${noun}`,
        key: `${id}/${kind}/${noun}`,
        description: sentence({ label, about, what }),
        input: inputOf(kind, noun),
      }));
    });
  });
}

function inputOf(kind, noun) {
  const id = { [`${noun}_id`]: { type: 'string', description: `Which ${noun}.` } };
  const fields = { title: { type: 'string' }, details: { type: 'object', additionalProperties: true } };
  const page = { filter: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 200 } };
  const properties = [page, id, fields, { ...id, ...fields }, id][kind];
  const required = [[], Object.keys(id), ['title'], Object.keys(id), Object.keys(id)][kind];
  return { type: 'object', properties, required, additionalProperties: false };
}

const [all, one, add, change, remove] = [0, 1, 2, 3, 4];

/** What was asked, and the tools that would do: package, kind and thing. */
export const questions = [
  ['schedule a meeting with my team', ['calendar', add, 'event']],
  ['which meeting rooms are there', ['calendar', all, 'room']],
  ['remind me at five', ['calendar', add, 'reminder']],
  ['write an email draft', ['mailbox', add, 'draft']],
  ['delete the email filter', ['mailbox', remove, 'filter']],
  ['show me all messages in my mailbox', ['mailbox', all, 'message']],
  ['open a new chat channel', ['chat', add, 'channel']],
  ['who is member of the chat channel', ['chat', all, 'member']],
  ['customer reported a problem, open a ticket', ['tickets', add, 'ticket']],
  ['change a support ticket', ['tickets', change, 'ticket']],
  ['create an invoice for a customer', ['billing', add, 'invoice']],
  ['give the customer a refund', ['billing', add, 'refund']],
  ['list incoming payments', ['billing', all, 'payment']],
  ['discount code', ['billing', add, 'discount'], ['billing', all, 'discount'], ['billing', one, 'discount']],
  ['profit and loss report', ['ledger', all, 'report'], ['ledger', one, 'report']],
  ['what is the exchange rate', ['ledger', one, 'currency'], ['ledger', all, 'currency']],
  ['look up a shop order', ['shop', one, 'order'], ['shop', all, 'order']],
  ['cancel the order in the shop', ['shop', remove, 'order']],
  ['what do buyers say, reviews of an article', ['shop', all, 'review'], ['shop', one, 'review']],
  [
    'how many goods are on the shelf',
    ['stock', one, 'item'],
    ['stock', all, 'item'],
    ['stock', all, 'shelf'],
  ],
  ['track a parcel', ['shipping', one, 'parcel'], ['shipping', all, 'parcel']],
  ['print a bar code sticker for a package', ['shipping', add, 'label_print']],
  ['add a sales lead', ['crm', add, 'lead']],
  ['phone number of a contact', ['crm', one, 'contact'], ['crm', all, 'contact']],
  ['ask for vacation days', ['people', add, 'vacation']],
  ['show my payslip', ['people', one, 'payslip'], ['people', all, 'payslip']],
  ['list employees', ['people', all, 'employee']],
  ['advertise a job opening', ['hiring', add, 'opening']],
  ['plan an interview with an applicant', ['hiring', add, 'interview']],
  ['open a pull request', ['code', add, 'pull_request']],
  ['list branches of a repository', ['code', all, 'branch']],
  ['publish a release', ['code', add, 'release']],
  ['did the build pass', ['pipeline', one, 'build'], ['pipeline', all, 'build']],
  ['download build artifact', ['pipeline', one, 'artifact'], ['pipeline', all, 'artifact']],
  [
    'roll back to the previous version',
    ['deploy', add, 'rollback'],
    ['deploy', one, 'rollback'],
    ['deploy', all, 'rollback'],
  ],
  ['cpu load over time', ['monitor', one, 'metric'], ['monitor', all, 'metric']],
  ['monitoring alerts', ['monitor', all, 'alert']],
  ['who is on call', ['incident', all, 'responder'], ['incident', one, 'responder']],
  ['write a postmortem of the outage', ['incident', add, 'postmortem']],
  ['find lines in the logs', ['logs', all, 'log_line']],
  ['run a sql query', ['database', add, 'query'], ['database', one, 'query'], ['database', all, 'query']],
  ['make a backup of the database', ['database', add, 'backup']],
  ['create storage bucket', ['storage', add, 'bucket']],
  ['share a document with somebody', ['drive', add, 'share'], ['drive', change, 'share']],
  ['remove a comment from a document', ['drive', remove, 'comment']],
  ['new wiki page', ['wiki', add, 'page']],
  ['what is on my task list', ['tasks', all, 'task']],
  ['set the due date of a task', ['tasks', change, 'task']],
  ['start a timer for my work', ['time', add, 'timer']],
  ['hours worked this week', ['time', one, 'timesheet'], ['time', all, 'timesheet']],
  ['send out a survey', ['survey', add, 'survey']],
  [
    'advertising campaign budget',
    ['ads', one, 'campaign'],
    ['ads', all, 'campaign'],
    ['ads', change, 'campaign'],
    ['ads', add, 'campaign'],
  ],
  ['add newsletter subscriber', ['newsletter', add, 'subscriber']],
  ['publish a social media post', ['social', add, 'post']],
  ['where do visitors of our site come from', ['analytics', all, 'referrer'], ['analytics', one, 'referrer']],
  ['driving directions from A to B', ['maps', one, 'route'], ['maps', all, 'route'], ['maps', add, 'route']],
  ['will it rain tomorow', ['weather', one, 'forecast'], ['weather', all, 'forecast']],
  ['storm warnings', ['weather', all, 'warning'], ['weather', one, 'warning']],
  ['book a flight', ['travel', add, 'flight']],
  ['cancel my hotel room', ['travel', remove, 'hotel']],
  ['upload a photo of a receipt', ['expenses', add, 'receipt']],
  ['list conference speakers', ['events', all, 'speaker']],
  ['find an online course', ['learning', all, 'course']],
  ['which books did I borrow', ['library', all, 'loan'], ['library', one, 'loan'], ['library', all, 'book']],
  ['make a doctor appointment', ['clinic', add, 'appointment']],
  [
    'patient prescription medicine',
    ['clinic', one, 'prescription'],
    ['clinic', all, 'prescription'],
    ['clinic', add, 'prescription'],
  ],
  ['calories of what I ate', ['fitness', one, 'meal'], ['fitness', all, 'meal'], ['fitness', add, 'meal']],
  ['reserve a table for guests', ['kitchen', add, 'reservation_table']],
  ['soil moisture sensors', ['farm', all, 'sensor'], ['farm', one, 'sensor']],
  ['how much electricity was used', ['energy', one, 'meter'], ['energy', all, 'meter']],
  ['dim the lights', ['home', change, 'light']],
  ['lock the front door', ['home', change, 'lock'], ['home', add, 'lock']],
  [
    'put a song on a playlist',
    ['music', change, 'playlist'],
    ['music', add, 'playlist'],
    ['music', add, 'song'],
  ],
  ['add subtitles to a film', ['video', add, 'subtitle']],
  ['crop a picture and make it brighter', ['photos', change, 'edit'], ['photos', add, 'edit']],
  ['translate a text', ['text', add, 'translation'], ['text', one, 'translation']],
  ['summarise the main points', ['text', add, 'summary'], ['text', one, 'summary']],
  ['who has signed the contract', ['legal', all, 'signature'], ['legal', one, 'signature']],
  ['scan for vulnerabilities', ['security', add, 'scan'], ['security', all, 'vulnerability']],
  ['update a dns record', ['network', change, 'dns_record']],
  [
    'allow traffic through the firewall',
    ['network', add, 'firewall_rule'],
    ['network', change, 'firewall_rule'],
  ],
  ['when must the lorry be inspected', ['fleet', one, 'inspection'], ['fleet', all, 'inspection']],
];
