/**
 * Facts as people write them down, each with a question a user would ask weeks later, in other words. Written by hand;
 * the first of every two was used while the search was tuned, the second was not looked at.
 */
export type Pair = { readonly fact: string; readonly question: string }

const pair = ([fact, question]: readonly [string, string]): Pair => ({ fact, question })

const ALL: readonly (readonly [string, string])[] = [
  [
    'The billing API listens on port 4310 on every developer laptop.',
    'Which port does the billing API use locally?',
  ],
  [
    'Invoices are rendered to PDF by a headless Chromium in the worker pool.',
    'How do invoices become PDF files?',
  ],
  ['We never deploy on Fridays after noon.', 'Is it okay to ship something Friday evening?'],
  [
    'The staging database is wiped every Sunday night.',
    'Why did my rows on staging disappear over the weekend?',
  ],
  ['Maria owns the payment reconciliation code.', 'Who is responsible for reconciling payments?'],
  [
    'Run `make seed` before the integration tests, or the fixtures are missing.',
    'The integration tests complain about missing fixtures, what first?',
  ],
  [
    'Dates are stored as UTC milliseconds and shown in the time zone of the account.',
    'In which timezone do we keep timestamps?',
  ],
  [
    'The mobile app talks to the gateway through gRPC-web, not REST.',
    'What protocol do phones use to reach the gateway?',
  ],
  ['User prefers tabs over spaces in Go files only.', 'Tabs or spaces when I write Go?'],
  [
    'Commit messages start with the area, then a colon, in the imperative.',
    'How should I word a commit message?',
  ],
  ['Feature flags are kept in Unleash; the project is called shopfront.', 'Where do we toggle features?'],
  [
    'The search index is rebuilt by the nightly job reindex-products at 02:15.',
    'When does the product index get built again?',
  ],
  ['Uploads larger than 25 MB go straight to S3 with a signed URL.', 'What happens with big attachments?'],
  ['The legacy importer crashes on files with a byte order mark.', 'Known bug of the old importer with BOM?'],
  [
    'Customer emails are sent by Postmark; marketing mails by Mailchimp.',
    'Which provider delivers mail to customers?',
  ],
  ['The checkout page must stay under 180 kB of JavaScript.', 'Size budget for scripts of the checkout?'],
  [
    'The admin panel is only reachable over the WireGuard VPN.',
    'I cannot open the admin panel from home, what do I need?',
  ],
  [
    'Retries use exponential backoff starting at 200 ms with full jitter.',
    'How long do we wait between attempts of a failed request?',
  ],
  ['The German translations are reviewed by Jonas before each release.', 'Who checks the German texts?'],
  ['Passwords are hashed with argon2id, 64 MB, three passes.', 'Which algorithm protects passwords?'],
  [
    'The public API is rate limited to 600 requests per minute and key.',
    'How many calls may a client make each minute?',
  ],
  ['Kafka topics are named team.entity.event, all lower case.', 'Naming convention for Kafka topics?'],
  [
    'The old Jenkins server was shut down in March; builds run in GitHub Actions.',
    'Do we still have Jenkins?',
  ],
  [
    'Snapshots of the production database are taken every six hours and kept for 35 days.',
    'How long do backups of prod stay around?',
  ],
  ['Use `pnpm`, never npm or yarn, in the monorepo.', 'What package manager does the monorepo want?'],
  [
    'The e2e tests need Chrome 120 or newer because of the popover API.',
    'Minimum browser version for the end to end tests?',
  ],
  [
    'Support tickets are triaged by whoever is on call, before ten in the morning.',
    'Who looks at new support tickets?',
  ],
  ['The pricing engine rounds half to even, per line, not per total.', 'How does rounding work for prices?'],
  ['Secrets of the cluster live in Vault under kv/shop.', 'Where are cluster secrets kept?'],
  [
    'Circular imports between domain and persistence are forbidden by a lint rule.',
    'May domain import persistence?',
  ],
  [
    'The CSV export uses semicolons because Excel in Europe expects them.',
    'Why are there semicolons in our CSV?',
  ],
  [
    'The websocket drops after 55 seconds of silence because of the load balancer.',
    'Why do idle websocket connections get closed?',
  ],
  [
    'Pull requests need two approvals when they touch the payments folder.',
    'How many reviewers for a change in payments?',
  ],
  ['Designs are in Figma, file "Shop 2026", page Handoff.', 'Where can I find the mockups?'],
  ['The user wants short answers without bullet lists.', 'What answer style does the user like?'],
  [
    'The recommender is trained on the GPU box called hopper in the basement.',
    'Which machine trains recommendations?',
  ],
  ['Log lines are JSON with the fields ts, level, msg and trace.', 'What does our log format look like?'],
  ['The orders table is partitioned by month on created_at.', 'How is the orders table split?'],
  ['We decided against GraphQL because caching at the edge mattered more.', 'Why no GraphQL?'],
  ['Sessions expire after 14 days without activity.', 'When is a user logged out automatically?'],
  [
    'The fraud check calls an external service and times out after 800 ms.',
    'Deadline for the fraud service?',
  ],
  [
    'The docs site is built with VitePress and deployed to Netlify.',
    'What generates the documentation site?',
  ],
  [
    'Prices are integers in cents; floats are banned in the money module.',
    'Can I use a float for an amount of money?',
  ],
  [
    'The nightly end-to-end run takes 40 minutes, mostly because of video recording.',
    'Why is the nightly e2e run so slow?',
  ],
  [
    'Redis is used as a cache only; everything in it may vanish at any time.',
    'Is it safe to keep data only in Redis?',
  ],
  [
    'The Terraform state is in the bucket infra-state, region eu-central-1.',
    'Which bucket holds Terraform state?',
  ],
  [
    'To reset a local database run `./scripts/reset-db.sh --hard`.',
    'How do I start over with a clean local database?',
  ],
  ['Warehouse stock is synchronised every ten minutes from the ERP.', 'How fresh are stock numbers?'],
  [
    'The warehouse team sits in Rotterdam and starts at six in the morning.',
    'From when can I reach the people of the warehouse?',
  ],
  [
    'Errors shown to customers never contain internal ids.',
    'Should an error message for customers include the id?',
  ],
  [
    'The image resizer needs libvips 8.15; older ones produce green thumbnails.',
    'Thumbnails come out green, what is wrong?',
  ],
  [
    'Unit tests must not touch the network; the setup file blocks sockets.',
    'Why does fetch fail in unit tests?',
  ],
  [
    'The Android build needs JDK 17; JDK 21 breaks the Gradle plugin.',
    'Which Java for building the Android app?',
  ],
  ['The iOS certificates expire on the third of November.', 'Until when are the Apple certificates valid?'],
  ['Lena is on parental leave until October; Tariq covers for her.', 'Who stands in for Lena?'],
  ['The load test scripts are written with k6 and live in perf/.', 'Where are scripts for load testing?'],
  [
    'A cart is locked for 15 minutes while payment is pending.',
    'How long is the cart frozen during payment?',
  ],
  [
    'The feature "gift cards" is only live in the Netherlands and Belgium.',
    'In which countries can people buy gift cards?',
  ],
  [
    'The parser for bank statements is generated from a grammar in grammar/mt940.peg.',
    'Where does the bank statement parser come from?',
  ],
  [
    'Do not edit files in generated/; run `just codegen` instead.',
    'How do I change something in the generated folder?',
  ],
  [
    'The customer table has soft deletes; rows are purged after 90 days for GDPR.',
    'When are deleted customers really gone?',
  ],
  ['Storybook runs on port 6007 since 6006 is taken by the proxy.', 'Storybook port?'],
  ['The frontend targets Safari 15 and up.', 'Oldest Safari we support?'],
  [
    'The queue consumer acknowledges messages after the database commit.',
    'At which point does the consumer ack?',
  ],
  [
    'Monitoring dashboards are in Grafana, folder "Shop / Golden signals".',
    'Where can I see latency and error graphs?',
  ],
  ['The product team meets every Tuesday at 10:30 in room Curie.', 'When is the product meeting?'],
  ['Alerts go to the Slack channel #shop-alerts and page only for severity one.', 'Where do alerts show up?'],
  [
    'The OAuth callback must be https, even locally; use mkcert.',
    'How do I get the OAuth redirect to work on my machine?',
  ],
  [
    'Environment variables are validated at boot with zod; a missing one stops the process.',
    'The process exits at once when a variable is missing, on purpose?',
  ],
  ['The reporting queries go to the read replica db-ro.', 'Which database should reports query?'],
  ['Refunds over 500 euros need a second person to confirm.', 'Can I refund a large sum alone?'],
  [
    'The tax rates come from a table that finance updates each January.',
    'Where do VAT percentages come from?',
  ],
  [
    'The scheduler is single threaded; two instances would send every mail twice.',
    'Why must the scheduler not be scaled out?',
  ],
  [
    'The GitHub token of the release bot is rotated by the platform team each quarter.',
    'Who renews the credentials of the release bot?',
  ],
  [
    'The barcode scanner library leaks memory when the camera is opened more than once.',
    'Camera opened twice and memory grows, known?',
  ],
  ['Phone numbers are normalised to E.164 at the edge.', 'In what shape do we save telephone numbers?'],
  ['The user works on Windows with WSL and cannot run bwrap.', 'What operating system is the user on?'],
  ['Feature branches are deleted automatically once merged.', 'What happens to a branch after merging?'],
  [
    'The monorepo has a CODEOWNERS file; changes to it need the platform team.',
    'Who must agree if I change code ownership?',
  ],
  [
    'The address autocomplete costs money per call, so it is debounced by 400 ms.',
    'Why is there a delay in address suggestions?',
  ],
  [
    'Product slugs never change once published; redirects are not supported.',
    'Can the URL of a product be renamed?',
  ],
  [
    'The nightly sync with SAP fails when a product has no weight.',
    'SAP synchronisation broke last night, usual cause?',
  ],
  [
    'The loyalty points are recalculated from events, never stored as a balance.',
    'Is there a column with the points of a member?',
  ],
  [
    'The cookie banner is provided by Cookiebot and loads before anything else.',
    'Which vendor do we use for consent?',
  ],
  [
    'The A/B tests are evaluated with a Bayesian model, in notebooks/ab.ipynb.',
    'How are experiments analysed?',
  ],
  [
    'Anything called V1 in the code refers to the Magento shop that was switched off in 2021.',
    'What does V1 mean in names?',
  ],
  [
    'The smoke tests hit the real payment sandbox of Adyen.',
    'Do smoke tests use the payment provider for real?',
  ],
  ['The hotfix branch is cut from the last tag, not from main.', 'From where do I branch for an urgent fix?'],
  [
    'Shipping labels are printed through PrintNode in the warehouse.',
    'How do labels for parcels get printed?',
  ],
  [
    'The delivery estimate is cached for an hour per postcode.',
    'Why does the expected delivery date lag behind?',
  ],
  [
    'The content editors use Storyblok; the preview needs a draft token.',
    'Which CMS do the editors work with?',
  ],
  ['The linter is Biome since June; ESLint and Prettier were removed.', 'Is ESLint still in use?'],
  ['Numbers in the UI are formatted with Intl, never by hand.', 'How do I format a number for display?'],
  [
    'A release is tagged by CI from the changelog; do not tag by hand.',
    'Should I create the git tag for a release myself?',
  ],
  [
    'The memory limit of the worker pod is 768 Mi; it is killed above that.',
    'How much RAM may a worker use?',
  ],
  [
    'The search service forgets synonyms after a restart until they are reloaded with POST /synonyms/reload.',
    'Synonyms do not work after restarting search, how to bring them back?',
  ],
  [
    'The user asked to always show the diff before writing a file.',
    'What does the user expect before a file is written?',
  ],
  ['Integration with DHL uses SOAP, generated from the WSDL in vendor/dhl.', 'How do we talk to DHL?'],
  ['The discount code field accepts upper and lower case alike.', 'Are voucher codes case sensitive?'],
  ['The analytics events are defined in tracking-plan.yaml.', 'Where are tracking events specified?'],
  [
    'The product photos are 3:4 portrait, at least 1200 px wide.',
    'What aspect ratio do product pictures need?',
  ],
  [
    'The build cache is shared through Turborepo with a token in the CI settings.',
    'How do builds share their cache?',
  ],
  ['The on-call phone rotates every Wednesday at noon.', 'When does on-call duty change hands?'],
  [
    'The GDPR export runs as a job and mails a link that is valid for 48 hours.',
    'For how long does the link to exported personal data work?',
  ],
  ['A customer can have at most five delivery addresses.', 'Limit of addresses per customer?'],
  [
    'The pagination of the public API is cursor based; offset was removed in v3.',
    'Does the API page by offset?',
  ],
  ['The vendor folder is checked in because the build has no network.', 'Why is vendor in git?'],
  [
    'The payment webhook must answer within five seconds or Adyen sends it again.',
    'We get duplicate webhook events, what could be the reason?',
  ],
  ['The fonts are self-hosted as woff2 because of privacy.', 'Why no Google Fonts?'],
  ['The translators get strings from Lokalise every Monday.', 'How do new strings reach the translators?'],
  [
    'The test user alice@example.test has the role of a store manager.',
    'Which role does alice have in tests?',
  ],
  [
    'The orders service is written in Kotlin; everything else in TypeScript.',
    'In which language is the orders service?',
  ],
  ['Money transfers are idempotent by the header Idempotency-Key.', 'How do we avoid paying out twice?'],
  [
    'The sandbox of the accounting system is reset at midnight.',
    'Accounting test data vanished overnight, why?',
  ],
  [
    'Opening hours of stores are edited by the stores themselves in the portal.',
    'Who maintains when a shop is open?',
  ],
  [
    'The ranking of search results is by margin within equal relevance.',
    'How are equally relevant results ordered?',
  ],
  [
    'The migrations are written by hand in SQL; the ORM does not generate them.',
    'Does the ORM create migrations for us?',
  ],
  ['The release notes are written by Ines from the merged pull requests.', 'Who writes release notes?'],
  [
    'The staging environment has only one node, so rolling updates cause a short outage.',
    'Why is staging down for a moment during a deployment?',
  ],
  [
    'The default currency is EUR, prices in GBP are converted daily at 06:00.',
    'When are pound prices recalculated?',
  ],
  [
    'The Docker images are based on distroless and have no shell.',
    'I cannot exec into the container with sh, why?',
  ],
  [
    'The cron of the newsletter runs in UTC, so it is an hour off in summer.',
    'Why does the newsletter go out an hour late in July?',
  ],
  [
    'The inventory count is eventually consistent, up to thirty seconds.',
    'Stock shows the wrong count for a few seconds, is that a bug?',
  ],
  ['The logs are kept in Loki for 21 days.', 'How far back can I read logs?'],
  [
    'The user dislikes mocking libraries and wants real temporary folders in tests.',
    'May I mock the file system in tests?',
  ],
  ['The kiosk tablets run Android 9 and cannot be updated.', 'What Android version do kiosks have?'],
  ['The data warehouse is BigQuery, dataset shop_marts.', 'Which warehouse do analysts query?'],
  ['The header X-Shop-Trace is passed on by every service.', 'Which header carries the trace?'],
  ['The upload virus scan is ClamAV in its own container.', 'What scans uploaded files for viruses?'],
  [
    'The team decided to keep Node 20 until the LTS of 24 has proven itself.',
    'Are we going to upgrade Node soon?',
  ],
  [
    'A failing migration is rolled back by restoring the snapshot, not by a down script.',
    'How do we undo a bad migration?',
  ],
  ['The error budget of the checkout is 0.1 % per month.', 'How much failure is tolerated in checkout?'],
  [
    'The feature tests are tagged @slow when they take more than two seconds.',
    'How do I mark a long running test?',
  ],
  [
    'The VAT number check of the EU is down often; the result is cached for a week.',
    'How do we cope when VAT validation is unavailable?',
  ],
  ['The return portal is a separate app in apps/returns.', 'Where is the code for sending goods back?'],
  ['Background colour of the brand is #0B3D2E; never use pure black.', 'Brand colour?'],
  [
    'The gateway strips cookies from requests to the image service.',
    'Why does the image service not see cookies?',
  ],
  [
    'The Stripe account is only for donations; everything else goes through Adyen.',
    'What do we use Stripe for?',
  ],
  ['The quarterly penetration test is done by Securelane.', 'Which company performs pentests?'],
  ['The product import accepts at most 50,000 rows per file.', 'Maximum number of lines in an import?'],
  [
    'The favicon and the icons are generated from brand/icon.svg with `npm run icons`.',
    'How do I regenerate icons?',
  ],
  [
    'The price history must be kept for two years because of the Omnibus directive.',
    'Why do we store old prices that long?',
  ],
  ['The user calls the recommendation service "reco".', 'What is reco?'],
  ['The lambda for thumbnails has a cold start of four seconds.', 'First thumbnail takes ages, why?'],
  [
    'Blue-green switching is done by hand in the load balancer console.',
    'How do we switch traffic to the new version?',
  ],
  ['The team writes British English in the interface.', 'Colour or color in UI texts?'],
  [
    'The debug endpoint /__health/deep checks every dependency and is slow.',
    'Which endpoint tests all dependencies?',
  ],
  [
    'The lock file conflicts are solved by running pnpm install, not by editing.',
    'Merge conflict in the lockfile, what now?',
  ],
  [
    'The basket service stores its state in DynamoDB, table baskets-v2.',
    'Where does the basket keep its data?',
  ],
  [
    'Every third-party script needs an entry in the content security policy.',
    'A new external script is blocked by the browser, what is missing?',
  ],
  ['The PDF invoices must be archived for ten years, immutable.', 'How many years must invoices be stored?'],
  [
    'The flaky test "cart merges on login" is caused by a clock mock that leaks.',
    'Why is the cart merge test unstable?',
  ],
  ['The user wants the code review comments in German.', 'Language for review comments?'],
  [
    'The search box waits for three characters before it suggests anything.',
    'Why no suggestions after typing two letters?',
  ],
  [
    'The service worker is disabled in development because it hid changes.',
    'Is the service worker active while developing?',
  ],
]

export const tuned: readonly Pair[] = ALL.filter((_, index) => index % 2 === 0).map(pair)
export const heldOut: readonly Pair[] = ALL.filter((_, index) => index % 2 === 1).map(pair)
