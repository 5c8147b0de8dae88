/**
 * Words that people who build software use for the same thing. Each line is a group; asking with one word of it also
 * finds the others, for less. Only what holds in nearly every project belongs here.
 */
import { once } from '../lib/once.ts'
import { stem } from './stem.ts'

const GROUPS = `
db database datastore postgres postgresql mysql sqlite
auth authentication authenticate login signin credential
authorization permission access allowed right role
deploy deployment release ship rollout publish launch
rollback revert undo
ci pipeline workflow build
test spec testing suite
config configuration setting option preference configure
env environment variable
repo repository codebase
dependency package library module
function method routine
bug error issue failure defect crash fault problem broken fail breaks
folder directory dir path
delete remove drop erase clean purge
create make generate produce new add
change modify update edit alter
fast quick speed performance slow latency
prefer like favourite favorite want rather choose
style format formatting convention
server backend host machine box
client frontend ui browser interface
message msg text notification
queue broker bus kafka rabbitmq
cache caching redis memoize
log logging logger logs
metric monitoring telemetry observability dashboard grafana
alert page pager oncall incident
key token secret password
user customer account person people
team owner responsible maintainer maintain maintains owns charge
review reviewer approve approval
branch trunk main master
commit changelog history
merge squash rebase
timeout expire expiry deadline ttl
limit maximum max cap quota ceiling most
minimum min least floor
retry attempt again
default fallback
start begin boot startup launch run
stop shutdown halt terminate kill end
image picture photo
document doc documentation readme docs guide manual
schedule cron nightly periodic job daily weekly
backup snapshot dump restore
encrypt encryption cipher
hash checksum digest
migrate migration schema
container docker image kubernetes k8s pod
endpoint route url api address
request call
reply response answer
language typescript javascript python rust golang
version release
indent indentation tab space whitespace
color colour theme
file document
store storage save persist keep kept lives live located
send deliver mail email
pay payment billing invoice charge checkout
price cost fee
currency money euro dollar
time date timestamp timezone
number count amount many
meet meeting standup call
chat slack channel
ticket issue jira tracker
compile compiler transpile bundler bundle
lint linter eslint
install setup bootstrap
parse parser parsing
validate validation check verify
concurrent concurrency parallel thread worker simultaneous
lock mutex
memory ram
disk storage volume
network socket connection
upload uploads attachment
download fetch
search find lookup query
sort order
region location datacenter zone
staging preprod
production prod live
local locally laptop
flaky intermittent random unstable
deprecated obsolete legacy old
reason why because cause
fix solve solution repair resolve cure
forbidden banned disallow avoid forbid prohibit
required mandatory necessary
support contact help
flag toggle switch feature
locale translation language i18n
boss manager lead
write written author
big large larger huge long
small tiny short little
graph chart dashboard plot
sum total amount
os system windows linux macos mac
owner ownership codeowners
rename change move
slug url link address
experiment ab trial
analyse analyze evaluate measure
git vcs commit repository
twice double duplicate duplicated idempotent repeat again
outage down downtime unavailable offline interruption
shell sh bash terminal console
mark tag label annotate
return back refund
company vendor supplier provider partner
loses lose vanish disappear lost gone missing
reset wipe clear empty
see view show display visible
open reach reachable connect
work works working function
renew rotate refresh
valid expire expiry
agree approve confirm consent accept
worker process instance
scale replica instance
guess estimate expected
delay lag wait debounce late
reason cause why
trigger event
hidden secret private
english german french spanish language
phone mobile telephone tablet
screen page view
code source
parameter argument option
table column row schema field
duplicate copy
responsible cover deputy substitute
print printer label
teach train training
plan roadmap
decide decision chose choose against
law legal gdpr privacy compliance directive
percent percentage rate share
weekday monday tuesday wednesday thursday friday saturday sunday weekend
morning noon evening night midnight nightly
month monthly quarter quarterly year yearly january
country region europe netherlands germany
protocol http grpc rest soap graphql websocket
json yaml toml csv xml
tool program utility script
command run execute exec
warning warn notice
hosted host hosting cloud aws azure gcp
bucket s3 blob object
cert certificate tls ssl https
vpn wireguard network
mail newsletter postmark
cms content editor
consent cookie gdpr
stock inventory warehouse
basket cart checkout
product item article catalogue catalog
discount coupon voucher promo
parcel shipping delivery shipment carrier
tax vat
customer buyer shopper member
picture image photo thumbnail
design mockup figma handoff
translate translation translator string locale
`

/** Terms that mean nearly the same as this one, itself left out. */
export const similarTerms = (term: string): readonly string[] => similar().get(term) ?? []

const similar = once(() => toTable(GROUPS))

function toTable(groups: string): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, Set<string>>()
  const lines = groups.trim().split('\n')
  for (const terms of lines.map((line) => line.split(' ').map(stem))) {
    for (const term of terms) table.set(term, new Set([...(table.get(term) ?? []), ...terms]))
  }
  return new Map([...table].map(([term, all]) => [term, [...all].filter((other) => other !== term)]))
}
