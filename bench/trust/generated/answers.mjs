// Ordinary answers of web services, in our own words: identifiers, digests, cursors and names, and not one secret. A scan
// must not change any of them. One line per answer: `service answer | path:kind path:kind …`.
import { chance, letters } from '../chance.mjs';
import { halfOf } from './split.mjs';

const lines = `
code repository | id:int node_id:b64 full_name:path owner.login:word owner.id:int owner.node_id:b64 default_branch:word pushed_at:time clone_url:url license.key:word license.spdx_id:word
code commit | sha:sha1 node_id:b64 tree.sha:sha1 parents.0.sha:sha1 author.name:words author.date:time verification.reason:word verification.payload_digest:sha256
code pull request | number:int head.sha:sha1 base.sha:sha1 merge_commit_sha:sha1 head.ref:slug user.login:word author_association:word auto_merge.enabled_by.id:int
code actions secret list | total_count:int secrets.0.name:env secrets.0.created_at:time secrets.0.updated_at:time secrets.1.name:env secrets.1.selected_repositories_url:url
code deploy key | id:int key_id:b64 title:words verified:bool created_at:time read_only:bool last_used:time fingerprint:hexcolon
code public key for secrets | key_id:dec18 key_fingerprint:sha256 public_key:b64
code code search | items.0.sha:sha1 items.0.git_url:url items.0.path:path items.0.repository.node_id:b64 items.0.score:float
code release asset | id:int node_id:b64 name:file content_type:mime digest:sha256p size:int browser_download_url:url
board card | trello_board_id:hex24 trello_list_id:hex24 trello_card_id:hex24 shortLink:b62_8 idMembers.0:hex24 badges.attachments:int dateLastActivity:time
board member | trello_member_id:hex24 avatarHash:hex32 username:word idOrganization:hex24 trello_organization:hex24 confirmed:bool
board webhook list | webhooks.0.id:hex24 webhooks.0.idModel:hex24 webhooks.0.tokenId:hex24 webhooks.0.callbackURL:url webhooks.0.active:bool
identity user | okta_user_id:okta okta_group_id:okta okta_app_id:okta okta_factor_id:okta profile.login:email status:word passwordChanged:time activated:time
identity application | client_id:b62_20 client_name:words app_id:uuid credentials.signing.kid:b64u43 credentials.userNameTemplate.template:word token_endpoint_auth_method:slug
identity factor | factor_id:b62_20 provider:word vendor_name:word credentialId:email auth_method_id:uuid
identity sessions | session_id:b62_20 auth_time:time idp_id:okta amr.0:word last_password_verification:time mfa_token_count:int
identity policy | password_policy_id:okta password_min_length:int password_history_count:int token_lifetime_minutes:int secret_question_required:bool
identity jwks | keys.0.kid:b64u43 keys.0.kty:word keys.0.use:word keys.0.alg:word keys.0.e:word keys.0.x5t:b64u27
identity audit event | eventId:uuid actor.id:okta target.0.id:okta authenticationContext.externalSessionId:b62_25 transaction.id:b62_24 debugContext.requestId:b62_24
errors event | sentry_event_id:hex32 sentry_project:slug sentry_issue_id:dec10 sentry_release:sha1 sentry_trace_id:hex32 sentry_span_id:hex16 groupID:dec10 fingerprint.0:hex32
errors release | version:sha1 shortVersion:hex12 projects.0.slug:slug authors.0.id:int lastCommit.id:sha1 firstEvent:time
errors client keys list | items.0.id:hex32 items.0.name:words items.0.projectId:int items.0.rateLimit.window:int items.0.isActive:bool
monitoring monitor | datadog_monitor_id:dec8 monitor.overall_state:word creator.handle:email restricted_roles.0:uuid dd_trace_id:dec18 dd_span_id:dec18 dd_version:sha1
monitoring dashboard | uid:b62_9 dashboard_uid:b62_9 grafana_folder_uid:b62_9 version:int panels.0.datasource.uid:b62_12 schemaVersion:int
monitoring api key list | data.0.type:slug data.0.id:uuid data.0.attributes.name:words data.0.attributes.last4:hex4 data.0.relationships.created_by.data.id:uuid
monitoring trace | trace_id:hex32 span_id:hex16 parent_span_id:hex16 service:slug resource:path duration:int
chain token transfer | token_address:eth tokenAddress:eth from_address:eth to_address:eth transaction_hash:eth64 block_hash:eth64 token_id:dec10 tokenSymbol:word token_decimals:int
chain token metadata | token_contract_address:eth token_name:words token_symbol:word token_type:word token_uri:url contract_creator:eth token_hash:eth64 total_supply:dec18
chain token pair | pair_address:eth base_token.address:eth quote_token.address:eth base_token.symbol:word price_native:float pool_created_at:time
chain wallet balance | wallet_address:eth native_token_balance:dec18 access_list.0.address:eth access_list.0.storageKeys.0:eth64 nonce:int
chain block | hash:eth64 parentHash:eth64 stateRoot:eth64 receiptsRoot:eth64 miner:eth extraData:eth64 number:int
cluster deployment | metadata.uid:uuid metadata.resourceVersion:dec8 metadata.name:slug spec.template.metadata.annotations.checksum/config:sha256 spec.template.metadata.annotations.checksum/secret:sha256
cluster pod | metadata.uid:uuid metadata.generateName:slug spec.serviceAccountName:slug spec.volumes.0.name:slug spec.volumes.0.secret.secretName:slug status.containerStatuses.0.imageID:sha256p status.containerStatuses.0.containerID:sha256c
cluster secret metadata | metadata.name:slug metadata.uid:uuid metadata.annotations.checksum/secret:sha256 type:slug immutable:bool metadata.labels.pod-template-hash:hex10
cluster service account | metadata.uid:uuid secrets.0.name:slug automountServiceAccountToken:bool imagePullSecrets.0.name:slug
cluster certificate | spec.secretName:slug status.notAfter:time status.revision:int spec.privateKey.algorithm:word spec.privateKey.size:int status.nextPrivateKeySecretName:slug
cluster token review status | status.user.uid:uuid status.user.username:slug status.audiences.0:url status.authenticated:bool
cluster lease | metadata.uid:uuid spec.holderIdentity:hostuuid spec.leaseTransitions:int metadata.managedFields.0.time:time
cloud object listing | Contents.0.Key:path Contents.0.ETag:etag Contents.0.Size:int Contents.0.Owner.ID:sha256 NextContinuationToken:b64 Contents.0.ChecksumAlgorithm.0:word
cloud secret description | ARN:arn Name:path VersionIdsToStages.0:uuid secret_arn:arn SecretVersionId:uuid RotationLambdaARN:arn LastRotatedDate:time KmsKeyId:uuid
cloud key description | KeyMetadata.KeyId:uuid KeyMetadata.Arn:arn KeyMetadata.KeySpec:word KeyMetadata.KeyState:word KeyMetadata.KeyManager:word
cloud access keys list | AccessKeyMetadata.0.UserName:word AccessKeyMetadata.0.Status:word AccessKeyMetadata.0.CreateDate:time PasswordLastUsed:time UserId:up21
cloud instance | InstanceId:i17 ImageId:ami17 SubnetId:subnet17 KeyName:slug ClientToken:uuid ReservationId:r17 IamInstanceProfile.Id:up21
cloud identity pool | IdentityPoolId:regionuuid ClientId:low26 UserPoolId:word AuthFlows.0:env AccessTokenValidity:int TokenValidityUnits.AccessToken:word
cloud stack | StackId:arn StackName:slug Outputs.0.OutputKey:word Outputs.0.OutputValue:arn Parameters.0.ParameterKey:word Parameters.0.ParameterValue:slug
cloud log events | events.0.eventId:dec18 events.0.message:sentence nextForwardToken:ftoken nextBackwardToken:ftoken searchedLogStreams.0.logStreamName:streampath
cloud function | FunctionArn:arn CodeSha256:b64 RevisionId:uuid LastModified:time Role:arn Layers.0.Arn:arn
cloud bucket metadata | etag:b64 generation:dec16 metageneration:int md5Hash:b64_24 crc32c:b64_8 selfLink:url timeCreated:time
cloud service account | uniqueId:dec18 oauth2ClientId:dec18 email:email etag:b64 projectId:slug disabled:bool
cloud service account key list | keys.0.name:saname keys.0.keyAlgorithm:word keys.0.validAfterTime:time keys.0.keyOrigin:word keys.0.keyType:word
cloud vault item | id:url attributes.created:dec10 attributes.recoveryLevel:word contentType:mime kid:url tenantId:uuid vaultUri:url
cloud app registration | appId:uuid id:uuid displayName:words passwordCredentials.0.keyId:uuid passwordCredentials.0.hint:hex4 passwordCredentials.0.endDateTime:time
cloud directory user | objectId:uuid userPrincipalName:email securityIdentifier:sid tenantId:uuid deletedDateTime:time onPremisesImmutableId:b64_24
mail message | id:hex16 threadId:hex16 historyId:dec8 labelIds.0:word payload.headers.0.value:msgid internalDate:dec13 nextPageToken:dec18
mail template | template_id:dhex32 version_id:uuid generation:word updated_at:time editor:word thumbnail_url:url
mail event | sg_event_id:b64u27 sg_message_id:msgid smtp-id:msgid category.0:word timestamp:dec10
mail list | list_id:hex10 web_id:dec8 unique_email_id:hex10 contact_id:hex32 mailchimp_list_id:hex10 mailchimp_campaign_id:hex10 subscriber_hash:hex32
mail domain | id:hex24 mailgun_message_id:msgid mailgun_domain_name:host receiving_dns_records.0.value:host smtp_login:email
calendar event | id:low26 iCalUID:msgid etag:etag recurringEventId:low26 conferenceData.conferenceId:slug nextSyncToken:b64 hangoutLink:url
calendar channel | channel_id:uuid resourceId:b64u27 resourceUri:url expiration:dec13 kind:slug
drive file | id:drive name:file md5Checksum:hex32 sha256Checksum:sha256 headRevisionId:b64u51 webViewLink:url driveId:drive parents.0:drive
drive changes | newStartPageToken:dec8 nextPageToken:b64u43 changes.0.fileId:drive changes.0.time:time
drive delta | value.0.id:up34 value.0.eTag:etag value.0.cTag:etag value.0.parentReference.driveId:b64 deltaLink:url
chat message | ts:ts client_msg_id:uuid team:up11 channel:up11 user:up11 bot_id:up11 app_id:up11 blocks.0.block_id:b62_5 response_metadata.next_cursor:b64
chat channel | id:up11 name:slug creator:up11 context_team_id:up11 previous_names.0:slug is_shared:bool
chat guild member | discord_user_id:dec18 discord_guild_id:dec18 discord_channel_id:dec18 user.avatar:hex32 roles.0:dec18 joined_at:time
chat application | discord_application_id:dec18 verify_key:hex64 icon:hex32 bot_public:bool owner.id:dec18
chat post | mattermost_post_id:low26 mattermost_channel_id:low26 root_id:low26 pending_post_id:low26 file_ids.0:low26
chat room | gitter_room_id:hex24 roomMember:bool lastAccessTime:time topic:sentence githubType:word
video stream | twitch_user_id:dec8 twitch_stream_id:dec10 twitch_game_id:dec8 thumbnail_url:url tag_ids.0:uuid pagination.cursor:b64
video item | videoId:b62_11 channelId:uc22 playlistId:pl32 etag:b64u27 nextPageToken:b62_6 liveBroadcastContent:word
social post | twitter_status_id:dec18 twitter_user_id:dec18 twitter_conversation_id:dec18 edit_history_tweet_ids.0:dec18 next_token:b62_20 newest_id:dec18
social profile | linkedin_member_urn:word linkedin_company_id:dec8 facebook_page_id:dec16 facebook_post_id:dec16 flickr_photo_id:dec10 flickr_owner:nsid
payment charge | id:ch24 payment_intent:pi24 customer:cus14 payment_method:pm24 balance_transaction:txn24 receipt_url:url invoice:in24 metadata.order_id:uuid
payment customer | id:cus14 default_source:card24 invoice_prefix:up8 tax_ids.0.id:txi24 created:dec10
payment events | data.0.id:evt24 data.0.request.id:req14 data.0.request.idempotency_key:uuid data.0.api_version:date data.0.pending_webhooks:int
payment webhook endpoint | id:we24 api_version:date enabled_events.0:slug url:url application:ca32 livemode:bool
payment location | square_location_id:up13 square_merchant_id:up13 square_order_id:b62_22 square_customer_id:up26 version_token:b62_20 catalog_object_id:up24
payment mandate | gocardless_mandate_id:md14 gocardless_customer_id:cu14 links.creditor:cr14 reference:up13 scheme:word
payment account | plaid_item_id:b62_37 plaid_account_id:b62_37 plaid_institution_id:word persistent_account_id:hex56 mask:hex4
payment order | coinbase_order_id:uuid coinbase_account_id:uuid kraken_order_txid:krak kucoin_order_id:hex24 bittrex_market:word client_order_id:uuid
store product | id:dec13 admin_graphql_api_id:gid variants.0.id:dec13 variants.0.sku:slug image.src:url handle:slug
store order | order_id:dec13 checkout_token_id:hex32 cart_id:hex32 order_status_url:url landing_site_ref:word confirmation_number:up9
store listing | etsy_listing_id:dec10 etsy_shop_id:dec8 etsy_receipt_id:dec10 sku.0:slug processing_profile_id:dec10
issue tracker issue | id:dec8 key:issue self:url fields.project.id:dec8 jira_issue_key:issue jira_account_id:accid fields.customfield_10010.requestType.id:dec8
issue tracker page | id:dec8 atlassian_cloud_id:uuid atlassian_account_id:accid confluence_space_key:word history.contributors.publishers.userKeys.0:hex32
issue tracker linear issue | id:uuid identifier:issue team.key:word cycle.id:uuid branchName:slug number:int
task | asana_task_gid:dec16 asana_workspace_gid:dec16 asana_project_gid:dec16 memberships.0.section.gid:dec16 permalink_url:url
support ticket | zendesk_ticket_id:dec8 zendesk_brand_id:dec13 intercom_conversation_id:dec13 intercom_contact_id:hex24 freshbooks_account_id:b62_6 via.channel:word
crm contact | hubspot_contact_id:dec10 hubspot_portal_id:dec8 hubspot_owner_id:dec8 hs_object_id:dec10 hubspotutk:hex32 properties.lifecyclestage:word
crm record | attributes.url:path Id:sf18 OwnerId:sf18 AccountId:sf18 SystemModstamp:time RecordTypeId:sf18
table record | id:rec14 airtable_base_id:app14 airtable_table_id:tbl14 airtable_view_id:viw14 fields.Name:words createdTime:time
notes page | id:uuid parent.database_id:uuid created_by.id:uuid last_edited_by.id:uuid properties.Name.id:word next_cursor:uuid request_id:uuid
form response | typeform_form_id:b62_8 response_id:low26 landing_id:low26 answers.0.field.ref:uuid hidden.source:word
search result | objectID:dec10 algolia_index_name:slug queryID:hex32 algolia_application_id:up10 _highlightResult.title.matchLevel:word processingTimeMS:int
search index keys list | results.0.uid:uuid results.0.name:words results.0.indexes.0:word results.0.actions.0:slug results.0.expiresAt:time
content entry | sys.id:b62_22 sys.space.sys.id:low12 contentful_space_id:low12 sys.environment.sys.id:slug sys.contentType.sys.id:slug sys.publishedVersion:int
site deploy | netlify_site_id:uuid netlify_deploy_id:hex24 commit_ref:sha1 deploy_ssl_url:url build_id:hex24 function_schedules.0.name:slug
site project | projectId:prj24 deploymentId:dpl28 teamId:team24 alias.0:host meta.githubCommitSha:sha1 inspectorUrl:url
dns zone | cloudflare_zone_id:hex32 cloudflare_account_id:hex32 cf_ray:cfray result.0.id:hex32 result.0.name_servers.0:host result.0.meta.auto_added:bool
dns token list | result.0.id:hex32 result.0.name:words result.0.status:word result.0.policies.0.id:hex32 result.0.last_used_on:time
cdn service | fastly_service_id:b62_22 fastly_version:int version_id:b62_22 customer_id:b62_22 comment:sentence
app release | heroku_app_id:uuid heroku_release_id:uuid heroku_slug_id:uuid heroku_app_name:slug addon_plan_names.0:slug slug.checksum:sha256p
feature flag | launchdarkly_project_key:slug launchdarkly_flag_key:slug environment_id:hex24 variations.0._id:uuid maintainerId:hex24 _version:int
maps style | mapbox_style_id:low25 mapbox_tileset_id:slug mapbox_owner:word sprite:url glyphs:url modified:time
weather reading | station_id:up8 observation_id:uuid api_version:ver units:word temperature:float
build job | travis_build_id:dec10 drone_build_number:int codecov_commit:sha1 sonarqube_project_key:slug sonar_analysis_id:b62_20 snyk_project_id:uuid snyk_org_id:uuid
package metadata | dist.shasum:sha1 dist.integrity:sri dist.signatures.0.keyid:sha256p gitHead:sha1 _npmOperationalInternal.host:word
package lock | packages.0.resolved:url packages.0.integrity:sri lockfileVersion:int packages.0.license:word
image manifest | schemaVersion:int config.digest:sha256p layers.0.digest:sha256p layers.0.size:int mediaType:mime artifactory_repo_key:slug
model completion | id:chatcmpl openai_request_id:req32 system_fingerprint:fp10 usage.prompt_tokens:int usage.completion_tokens:int usage.total_tokens:int
model embedding list | openai_file_id:file24 vector_store_id:vs24 cohere_generation_id:uuid model:slug dimensions:int
model tokenizer | tokenizer_hash:hex64 pad_token:word eos_token_id:int special_tokens_map.bos_token:word vocab_size:int model_max_length:int
meeting | uuid:b64_24 id:dec10 host_id:b62_22 meeting_password_required:bool join_url_expires_at:time occurrences.0.occurrence_id:dec13
sms message | sid:sm32 account_id:ac32 messagebird_message_id:hex32 messaging_service_sid:mg32 error_code:int num_segments:int
shipment | tracking_code:up18 tracker_id:trk32 rate_id:rate32 carrier_account_id:ca32 label_url:url
database row | _id:hex24 ref:uuid created_by:uuid row_hash:hex32 shard_key:slug partition_key:uuid sort_key:sortkey version:int
database cluster | id:uuid connection.host:host connection.port:int maintenance_window.day:word tags.0:slug ca_cert_fingerprint:sha256
warehouse query | queryId:uuid statementHandle:uuid sqlState:word partitionInfo.0.rowCount:int looker_dashboard_id:dec8 databricks_run_id:dec10 session_role:word
file hashes | files.0.path:path files.0.md5:hex32 files.0.sha1:sha1 files.0.sha256:sha256 files.1.path:path files.1.sha256:sha256
git blame | lines.0.commit:sha1 lines.0.author:words lines.0.file:path lines.0.content:sentence lines.1.commit:sha1
secret scan alerts | alerts.0.number:int alerts.0.secret_type:slug alerts.0.secret_type_display_name:words alerts.0.state:word alerts.0.locations_url:url alerts.0.push_protection_bypassed:bool
credential list | credentials.0.credential_id:uuid credentials.0.credential_name:slug credentials.0.credential_type:word credentials.0.owner_id:uuid credentials.0.last_rotated_at:time
token list | tokens.0.token_id:uuid tokens.0.token_name:words tokens.0.token_prefix:b62_5 tokens.0.scopes.0:slug tokens.0.expires_at:time tokens.0.last_used_ip_address:ip
api key list | items.0.api_key_id:b62_22 items.0.apiKeyId:uuid items.0.key_name:slug items.0.api_key_prefix:b62_6 items.0.created_by_user_id:uuid
audit entries | entries.0.entry_id:uuid entries.0.prev_hash:sha256 entries.0.actor_id:uuid entries.0.auth_method:word entries.0.access_level:word entries.0.session_id:uuid
auth settings | auth_provider_id:uuid auth_url:url authorization_endpoint:url token_endpoint:url auth_connection_name:slug password_grant_enabled:bool authz_model_id:ulid
services by name | auth-service:uuid api-gateway:uuid token-bucket:uuid access-log:uuid secret-santa:uuid key-value-store:uuid
teams by name | adobe:uuid drone:uuid square:uuid intercom:uuid twitch:uuid discord:uuid asana:uuid trello:uuid okta:uuid
hotel booking | reservation_token_id:uuid booking_ref:up6 guest_id:hex24 room_key_count:int access_code_required:bool cancellation_policy_id:uuid
ride trip | trip_uuid:uuid driver_id:uuid vehicle_plate_hash:hex32 surge_token_version:ver fare_id:b62_20 map_tile_key:path
bank statement | statement_id:uuid transaction_reference:up16 counterparty_ref:up18 authorization_id:b62_12 auth_amount:float authorisation_status:word
insurance claim | claim_number:up11 policy_number:up13 adjuster_id:uuid secret_shopper_visit_id:uuid document_checksum:sha256
library loan | item_barcode:dec13 holding_id:hex24 call_number:slug access_restriction_note:sentence token_of_thanks:words
machine telemetry | device_id:hex16 boot_id:uuid firmware_digest:sha256p secure_boot_state:word tpm_key_handle:hex8 attestation_pcr0:hex64
certificate transparency | leaf_hash:sha256 log_id:b64_44 root_hash:b64_44 tree_size:int tbs_fingerprint:sha256 issuer_key_hash:sha256
certificate | serial_number:hexcolon fingerprint256:hexcolon subject_key_identifier:hexcolon authority_key_identifier:hexcolon public_key_sha256:sha256
backup | snapshot_id:sha256 tree:sha256 parent_snapshot:sha256 key_id:sha256 repository_id:sha256 password_file_path:path
queue message | message_id:uuid receipt_handle_id:b62_22 md5_of_body:hex32 sequence_number:dec18 deduplication_id:sha256 consumer_group_key:slug
queue offsets | topic:slug partition:int offset:dec10 leader_epoch:int consumer_id:hostuuid commit_token_count:int
gateway route | route_id:uuid upstream_id:uuid plugin_key_auth_enabled:bool consumer_username:word credential_count:int jwt_issuer:host
webhook delivery | delivery_id:uuid guid:uuid event:word status_code:int signature_algorithm:word secret_configured:bool redelivery_of_id:uuid
translation memory | segment_id:hex24 source_hash:hex32 translation_key:slug glossary_token_ids.0:int tm_id:uuid
game match | match_id:euw10 puuid_hash:sha256 champion_key:int item_ids.0:int replay_token_expires_at:time
museum object | accession_number:ver object_uri:url image_checksum:hex32 rights_key:slug access_point:words
vaccine lot | lot_number:up10 gtin:dec13 serial:b62_12 authorization_number:up9 keyword_ids.0:int
telescope frame | frame_id:slug plate_solution_id:hex24 master_dark_id:uuid master_flat_key:path auth_group:word
farm sensor | gateway_eui:hex16 dev_eui:hex16 join_eui:hex16 app_id:slug fcnt:int session_key_id:b64_22
secrets inventory | secrets.0.secret_id:uuid secrets.0.secret_path:path secrets.0.secret_owner:email secrets.0.secret_version:int secrets.0.secret_checksum:sha256 secrets.0.rotation_token_id:uuid
password report | weak_password_count:int password_expired_users:int password_last_set_at:time password_reset_url:url password_age_days:int
access review | access_review_id:uuid access_package_id:uuid accessor_id:uuid access_granted_at:time access_request_ref:up12
tokens by symbol | tokens.0.symbol:word tokens.0.address:eth tokens.0.logo_uri:url tokens.0.chain_id:int tokens.0.token_standard:word tokens.0.token_index:int
flow run | flow_run_id:uuid task_key:slug cache_key:sha256 idempotency_key:sha256 state_id:uuid deployment_version_hash:hex32
vector match | matches.0.id:uuid matches.0.score:float namespace:slug usage.read_units:int matches.0.metadata.chunk_key:path matches.0.metadata.token_count:int
jobs by name | sentry-sync:uuid jira-export:uuid heroku-cleanup:uuid mapbox-tiles:uuid datadog-agent:uuid netlify-hook:uuid yandex-import:uuid
`;

const hexDigits = '0123456789abcdef';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz0123456789';
const wordList =
  'amber birch cedar delta ember fjord grove harbor island juniper kelp lagoon meadow north orchard pebble quartz river summit tundra'.split(
    ' ',
  );

const join = (lot, count, between) => Array.from({ length: count }, () => lot.pick(wordList)).join(between);
const hex = (lot, length) => lot.text(length, hexDigits);
const uuid = (lot) => [8, 4, 4, 4, 12].map((length) => hex(lot, length)).join('-');
const base64 = (lot, bytes) => Buffer.from(hex(lot, bytes * 2), 'hex').toString('base64');

/** How a value of a kind is made. A number at the end of a kind is its length. */
const kinds = {
  int: (lot) => lot.below(1_000_000),
  float: (lot) => lot.below(100_000) / 100,
  bool: (lot) => lot.below(2) === 1,
  time: (lot) => new Date(1.7e12 + lot.below(1e9)).toISOString(),
  date: (lot) => new Date(1.7e12 + lot.below(1e9)).toISOString().slice(0, 10),
  ver: (lot) => `${lot.below(9)}.${lot.below(30)}.${lot.below(30)}`,
  word: (lot) => lot.pick(wordList),
  words: (lot) => join(lot, 2, ' '),
  sentence: (lot) => `the ${join(lot, 3, ' ')} was ready after ${lot.below(90)} seconds`,
  slug: (lot) => `${join(lot, 2, '-')}-${lot.below(100)}`,
  env: (lot) => join(lot, 2, '_').toUpperCase(),
  path: (lot) => `${join(lot, 3, '/')}.${lot.pick(['md', 'ts', 'json', 'txt'])}`,
  file: (lot) => `${join(lot, 2, '-')}.${lot.pick(['pdf', 'zip', 'png'])}`,
  mime: () => 'application/vnd.oci.image.manifest.v1+json',
  url: (lot) => `https://${lot.pick(wordList)}.example.org/${join(lot, 2, '/')}/${hex(lot, 24)}`,
  host: (lot) => `${join(lot, 2, '.')}.example.org`,
  email: (lot) => `${lot.pick(wordList)}@example.org`,
  ip: (lot) => `198.51.100.${lot.below(250)}`,
  uuid,
  ulid: (lot) => `01${lot.text(24, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')}`,
  sha1: (lot) => hex(lot, 40),
  sha256: (lot) => hex(lot, 64),
  sha256p: (lot) => `sha256:${hex(lot, 64)}`,
  sha256c: (lot) => `containerd://${hex(lot, 64)}`,
  sri: (lot) => `sha512-${base64(lot, 64)}`,
  b64: (lot) => base64(lot, 32),
  etag: (lot) => `"${hex(lot, 32)}"`,
  hexcolon: (lot) => hex(lot, 40).match(/../g).join(':'),
  eth: (lot) => `0x${hex(lot, 40)}`,
  eth64: (lot) => `0x${hex(lot, 64)}`,
  arn: (lot) =>
    `arn:aws:service:eu-west-1:${lot.text(12, '0123456789')}:item/${lot.pick(wordList)}-${lot.text(6, letters)}`,
  okta: (lot) => `00u${lot.text(17, letters)}`,
  issue: (lot) => `${lot.pick(wordList).slice(0, 4).toUpperCase()}-${lot.below(9000)}`,
  accid: (lot) => `557058:${uuid(lot)}`,
  msgid: (lot) => `<${hex(lot, 32)}.${lot.below(1e6)}@mail.example.org>`,
  ts: (lot) => `17${lot.text(8, '0123456789')}.${lot.text(6, '0123456789')}`,
  drive: (lot) => `1${lot.text(32, `${letters}_-`)}`,
  regionuuid: (lot) => `eu-west-1:${uuid(lot)}`,
  ftoken: (lot) => `f/${lot.text(56, '0123456789')}/s`,
  streampath: (lot) => `2026/01/${1 + lot.below(28)}/[$LATEST]${hex(lot, 32)}`,
  saname: (lot) => `projects/${lot.pick(wordList)}/serviceAccounts/app@example.org/keys/${hex(lot, 40)}`,
  sid: (lot) => `S-1-12-1-${lot.text(10, '0123456789')}-${lot.text(10, '0123456789')}`,
  nsid: (lot) => `${lot.text(8, '0123456789')}@N0${lot.below(9)}`,
  gid: (lot) => `gid://store/Product/${lot.text(13, '0123456789')}`,
  krak: (lot) => [6, 5, 6].map((length) => lot.text(length, upper)).join('-'),
  cfray: (lot) => `${hex(lot, 16)}-FRA`,
  chatcmpl: (lot) => `chatcmpl-${lot.text(29, letters)}`,
  hostuuid: (lot) => `${join(lot, 2, '-')}_${uuid(lot)}`,
  dhex32: (lot) => `d-${hex(lot, 32)}`,
  sortkey: (lot) => `USER#${uuid(lot)}#2026-01-02`,
  sf18: (lot) => `001${lot.text(15, letters)}`,
};
/** Kinds with a length: a prefix and an alphabet. */
const sized = {
  hex: ['', hexDigits],
  dec: ['', '123456789'],
  up: ['', upper],
  low: ['', lower],
  b62_: ['', letters],
  b64_: ['', `${letters}+/`],
  b64u: ['', `${letters}_-`],
  ...Object.fromEntries(
    'ch pi cus pm txn card in txi evt req we ca prj dpl team trk rate fp file vs'
      .split(' ')
      .map((it) => [it, [`${it}_`, letters]]),
  ),
  ...Object.fromEntries('rec app tbl viw'.split(' ').map((it) => [it, [it, letters]])),
  ...Object.fromEntries('md cu cr'.split(' ').map((it) => [it, [it.toUpperCase(), upper]])),
  ...Object.fromEntries('sm ac mg'.split(' ').map((it) => [it, [it.toUpperCase(), hexDigits]])),
  ...Object.fromEntries('i ami subnet r'.split(' ').map((it) => [it, [`${it}-`, hexDigits]])),
  euw: ['EUW1_', '123456789'],
  uc: ['UC', `${letters}_-`],
  pl: ['PL', `${letters}_-`],
};

function fieldValue(kind, lot) {
  if (Object.hasOwn(kinds, kind)) return kinds[kind](lot);
  const [, stem, length] = /^(.*?)(\d+)$/.exec(kind) ?? [];
  const [prefix, alphabet] = sized[stem] ?? [];
  if (alphabet === undefined) throw new Error(`unknown kind of value: ${kind}`);
  return prefix + lot.text(Number(length), alphabet);
}

/** Ordinary answers: `value` as JSON, and the same answer as `text` in three spellings. */
export function generatedAnswers(seed = 1212, rounds = 2) {
  const lot = chance(seed);
  const answers = [];
  for (const line of lines.trim().split('\n')) {
    const [name, fields] = line.split(' | ');
    for (let round = 0; round < rounds; round++) {
      const flat = fields.split(' ').map((it) => {
        const at = it.lastIndexOf(':');
        return [it.slice(0, at), fieldValue(it.slice(at + 1), lot)];
      });
      const value = {};
      for (const [path, it] of flat) put(value, path.split('.'), it);
      answers.push({
        name,
        half: halfOf(name),
        value,
        texts: {
          json: JSON.stringify(value),
          'indented json': JSON.stringify(value, null, 2),
          lines: flat.map(([path, it]) => `${path}: ${it}`).join('\n'),
        },
      });
    }
  }
  return answers;
}

function put(target, [first, ...rest], value) {
  if (rest.length === 0) target[first] = value;
  else {
    target[first] ??= /^\d+$/.test(rest[0]) ? [] : {};
    put(target[first], rest, value);
  }
}
