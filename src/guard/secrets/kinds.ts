/**
 * Keys that say themselves what they are: how each begins and what follows. A new one is one row. What follows is a
 * bounded repetition without alternatives that overlap, so that no text makes a match take more than a few hundred steps.
 */

export type SecretKind = {
  readonly kind: string
  readonly prefix: string
  /** What must follow the prefix; sticky. */
  readonly rest: RegExp
}

type Row = readonly [kind: string, prefixes: string, rest: string]

/** Prefixes are separated by blanks. `<a>` is alphanumeric, `<w>` also `_` and `-`, `<h>` a hex digit. */
const rows: readonly Row[] = [
  // clouds
  ['aws-key', 'AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}!'],
  ['aws-bedrock-key', 'ABSK', '[A-Za-z0-9+/=]{100,300}'],
  ['gcp-key', 'AIza', '<w>{35}'],
  ['gcp-token', 'ya29.', '<w>{20,2000}'],
  ['gcp-client-secret', 'GOCSPX-', '<w>{28}'],
  ['gcp-refresh-token', '1//0', '<w>{40,200}'],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', '<h>{64}'],
  ['heroku-key', 'HRKU-', '<w>{36,80}'],
  ['alibaba-key', 'LTAI', '<a>{12,20}!'],
  ['tencent-key', 'AKID', '<a>{32}!'],
  ['yandex-key', 'AQVN', '<w>{35,60}'],
  ['cloudflare-ca-key', 'v1.0-', '<h>{24}-<h>{146}'],
  ['fly-token', 'fo1_', '<w>{43}'],
  ['fly-token', 'fm1r_ fm1a_ fm2_', '[A-Za-z0-9+/]{80,1000}={0,3}'],
  ['netlify-token', 'nfp_ nfc_ nfo_ nfb_', '<a>{36,60}'],
  ['vercel-token', 'vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_', '\\w{24,80}'],
  ['supabase-key', 'sbp_', '<h>{40}'],
  ['supabase-key', 'sb_secret_', '<w>{20,80}'],
  ['render-key', 'rnd_', '<a>{28,40}!'],
  ['neon-key', 'napi_', '[a-z0-9]{40,80}'],
  ['pulumi-token', 'pul-', '<h>{40}'],
  ['vault-token', 'hvs. hvb. hvr.', '<w>{24,300}'],
  ['doppler-token', 'dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.', '<a>{40,44}'],
  ['doppler-token', 'dp.st.', '(?:[a-z0-9_-]{2,35}\\.)?<a>{40,44}'],
  ['databricks-token', 'dapi', '<h>{32}(?:-\\d)?'],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', '[\\w.=-]{32,64}'],
  // version control and building
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', '<a>{36,255}'],
  ['github-token', 'github_pat_', '\\w{82}'],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- gloas- glffct- glagent-',
    '[\\w.-]{20,300}',
  ],
  ['gitlab-token', 'GR1348941', '<w>{20}'],
  ['bitbucket-token', 'ATBB', '<a>{28,60}!'],
  ['atlassian-token', 'ATATT3 ATCTT3', '[\\w=-]{60,300}'],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', '<a>{20,24}_<h>{40}'],
  ['buildkite-token', 'bkua_', '[a-z0-9]{40}'],
  ['sonar-token', 'squ_ sqp_ sqa_', '<h>{40}'],
  ['scalingo-token', 'tk-us-', '<w>{48}'],
  ['launchdarkly-key', 'sdk- api-', '<h>{8}-(?:<h>{4}-){3}<h>{12}'],
  // packages
  ['npm-token', 'npm_', '<a>{36}!'],
  ['pypi-token', 'pypi-Ag', '<w>{50,1000}'],
  ['rubygems-key', 'rubygems_', '<h>{48}'],
  ['crates-token', 'cio', '<a>{32}!'],
  ['nuget-key', 'oy2', '[a-z0-9]{43}!'],
  ['docker-token', 'dckr_pat_ dckr_oat_', '<w>{27,40}'],
  ['jfrog-key', 'AKCp', '<a>{69,73}!'],
  ['jfrog-token', 'cmVmdGtu', '<a>{56}!'],
  ['clojars-token', 'CLOJARS_', '[a-z0-9]{60}'],
  ['age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}'],
  // chat and mail
  ['slack-token', 'xoxb- xoxp- xoxa- xoxe- xoxo- xoxr- xoxs- xoxc- xoxd- xoxe.', '[A-Za-z0-9%.+/=-]{20,300}'],
  ['slack-token', 'xapp-', '\\d-[A-Za-z0-9-]{20,200}'],
  [
    'slack-webhook',
    'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
    '[\\w/]{20,120}',
  ],
  ['discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', '\\d{17,20}/<w>{50,90}'],
  ['teams-webhook', 'webhook.office.com/webhookb2/', '[\\w@/-]{60,250}'],
  ['sendgrid-key', 'SG.', '<w>{16,32}\\.<w>{16,64}'],
  ['mailgun-key', 'key-', '<h>{32}!'],
  ['brevo-key', 'xkeysib- xsmtpsib-', '<h>{64}-<a>{16}'],
  ['resend-key', 're_', '<a>{8}_<a>{24}!'],
  ['twilio-key', 'SK', '<h>{32}!'],
  ['facebook-token', 'EAAC EAAB EAAG EAAJ EAAM', '<a>{90,400}'],
  ['twitter-token', 'AAAAAAAAAAAAAAAAAAAAA', '[A-Za-z0-9%]{60,120}'],
  ['instagram-token', 'IGQV', '<w>{100,400}'],
  // payment and shops
  ['stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_', '<a>{16,250}'],
  ['stripe-webhook-secret', 'whsec_', '[A-Za-z0-9+/=]{24,100}'],
  ['square-token', 'sq0atp- sq0csp- sq0idp-', '<w>{22,50}'],
  ['square-token', 'EAAA', '<w>{60}'],
  ['paypal-token', 'access_token$production$ access_token$sandbox$', '[a-z0-9]{16}\\$<h>{32}'],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_', '<a>{32,64}'],
  ['razorpay-key', 'rzp_live_ rzp_test_', '<a>{14,24}'],
  ['flutterwave-key', 'FLWSECK-', '<a>{32}-X'],
  ['flutterwave-key', 'FLWSECK_TEST-', '<a>{32}-X'],
  ['plaid-token', 'access-sandbox- access-development- access-production-', '<h>{8}-(?:<h>{4}-){3}<h>{12}'],
  ['easypost-key', 'EZAK EZTK', '<a>{54}!'],
  ['shippo-token', 'shippo_live_ shippo_test_', '<h>{40}'],
  ['duffel-token', 'duffel_live_ duffel_test_', '[\\w=-]{43}'],
  // models and what is built on them
  ['anthropic-key', 'sk-ant-', '<w>{32,250}'],
  ['openrouter-key', 'sk-or-v1-', '<h>{64}'],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-service-', '<w>{32,250}'],
  ['openai-key', 'sk-', '<a>{32,64}!'],
  ['huggingface-token', 'hf_ api_org_', '<a>{34}!'],
  ['groq-key', 'gsk_', '<a>{52}!'],
  ['xai-key', 'xai-', '<a>{70,90}!'],
  ['replicate-token', 'r8_', '<a>{37,40}!'],
  ['perplexity-key', 'pplx-', '<a>{40,60}!'],
  ['fireworks-key', 'fw_', '<a>{22,24}!'],
  ['together-key', 'tgp_v1_', '<w>{40,60}'],
  ['cerebras-key', 'csk-', '[a-z0-9]{48}!'],
  ['nvidia-key', 'nvapi-', '<w>{60,80}'],
  ['langsmith-key', 'lsv2_pt_ lsv2_sk_', '<h>{32}_<h>{10}'],
  ['voyage-key', 'pa-', '<w>{43}'],
  ['jina-key', 'jina_', '[A-Za-z0-9_-]{60}'],
  ['elevenlabs-key', 'sk_', '<h>{48}!'],
  ['tavily-key', 'tvly-', '(?:dev-)?<a>{32}!'],
  ['firecrawl-key', 'fc-', '<h>{32}!'],
  ['pinecone-key', 'pcsk_', '\\w{60,90}'],
  // running and watching
  ['grafana-token', 'glsa_', '<a>{32}_[A-Fa-f0-9]{8}'],
  ['grafana-token', 'glc_', '[A-Za-z0-9+/]{32,400}={0,2}'],
  ['newrelic-key', 'NRAK- NRII- NRRA- NRJS-', '[\\w-]{19,42}'],
  ['dynatrace-token', 'dt0c01. dt0s16.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['sentry-token', 'sntrys_', '[A-Za-z0-9+/=_-]{60,500}'],
  ['sentry-token', 'sntryu_', '<h>{64}'],
  ['postman-key', 'PMAK-', '<h>{24}-<h>{34}'],
  ['prefect-key', 'pnu_ pnb_', '<a>{36}!'],
  ['linear-key', 'lin_api_ lin_oauth_', '<a>{32,128}'],
  ['notion-token', 'ntn_', '<a>{40,60}!'],
  ['notion-token', 'secret_', '<a>{43}!'],
  ['airtable-token', 'pat', '<a>{14}\\.<h>{64}'],
  ['figma-token', 'figd_ figo_', '<w>{38,60}'],
  ['contentful-token', 'CFPAT-', '<w>{43}'],
  ['typeform-token', 'tfp_', '[\\w.=-]{40,60}'],
  ['hubspot-token', 'pat-na1- pat-na2- pat-eu1-', '<h>{8}-(?:<h>{4}-){3}<h>{12}'],
  ['onepassword-token', 'ops_ey', '[A-Za-z0-9+/=_-]{100,2000}'],
  ['mapbox-token', 'sk.eyJ', '<w>{40,200}\\.<w>{20,40}'],
  ['dropbox-token', 'sl.', '<w>{100,1200}'],
  ['segment-token', 'sgp_', '<a>{64}!'],
  ['readme-key', 'rdme_', '[a-z0-9]{70}!'],
  ['infracost-key', 'ico-', '<a>{32}!'],
  ['jwt', 'eyJ', '<w>{12,4096}\\.(?:eyJ)?<w>{8,8192}(?:\\.<w>{16,2048}){1,3}'],
]

/** `!` at the end: nothing alphanumeric may follow. */
const toRest = (rest: string): RegExp =>
  new RegExp(
    rest
      .replace(/!$/, '(?!<a>)')
      .replaceAll('<a>', '[A-Za-z0-9]')
      .replaceAll('<w>', '[\\w-]')
      .replaceAll('<h>', '[a-f0-9]'),
    'y',
  )

/** Longer prefixes first, so that the more telling kind wins. */
export const secretKinds: readonly SecretKind[] = rows
  .flatMap(([kind, prefixes, rest]) =>
    prefixes.split(' ').map((prefix) => ({ kind, prefix, rest: toRest(rest) })),
  )
  .toSorted((a, b) => b.prefix.length - a.prefix.length)
