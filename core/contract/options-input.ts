// Made by `npm run docs:update` from options.ts. Do not edit.
import type { Options } from "./options.ts";

/** What a configuration may say of the options. */
export interface OptionsInput {
	readonly system?: {
		/**
		 * Debug mode: verbose logs, and no masking in them (specification, Secrets masking 5).
		 * Default `false`. `SVC_SYSTEM_DEBUG` takes precedence.
		 */
		readonly debug?: Options["system"]["debug"];
		/**
		 * Whether parameters of triggers must fit the schema of their type; those of webhooks and timers always must.
		 * Default `true`. `SVC_SYSTEM_VALIDATE_TRIGGER_PARAMETERS` takes precedence.
		 */
		readonly validate_trigger_parameters?: Options["system"]["validate_trigger_parameters"];
		/**
		 * Whether payloads must fit the schema of their trigger type; those of webhooks and timers always must.
		 * Default `true`. `SVC_SYSTEM_VALIDATE_TRIGGER_PAYLOAD` takes precedence.
		 */
		readonly validate_trigger_payload?: Options["system"]["validate_trigger_payload"];
	};
	readonly node?: {
		/**
		 * Name of this node among several; empty means the name of its host.
		 * Default `""`. `SVC_NODE_NAME` takes precedence.
		 */
		readonly name?: Options["node"]["name"];
		/**
		 * Parts of the service that this node runs; empty means all of them. `svc serve --only` takes precedence.
		 * Default `[]`. `SVC_NODE_ONLY` takes precedence.
		 */
		readonly only?: Options["node"]["only"];
		/**
		 * Whether there is a listener that answers `/health/live`, `/health/ready` and `/metrics`, and nothing else.
		 * Default `false`. `SVC_NODE_HEALTH_LISTEN` takes precedence.
		 */
		readonly health_listen?: Options["node"]["health_listen"];
		/**
		 * Listen address of that listener.
		 * Default `"127.0.0.1"`. `SVC_NODE_HEALTH_HOST` takes precedence.
		 */
		readonly health_host?: Options["node"]["health_host"];
		/**
		 * Port of that listener.
		 * Default `9103`. `SVC_NODE_HEALTH_PORT` takes precedence.
		 */
		readonly health_port?: Options["node"]["health_port"];
	};
	readonly system_user?: {
		/**
		 * User name of executions that rules start, and of all executions while authentication is off. No user can sign in with this name or a
		 * similar one. Also the default user on remote hosts.
		 * Default `"svc"`. `SVC_SYSTEM_USER_USER` takes precedence.
		 */
		readonly user?: Options["system_user"]["user"];
		/**
		 * Private key for remote hosts where neither the action nor the SSH configuration names one; empty means none.
		 * Default `""`. `SVC_SYSTEM_USER_SSH_KEY_FILE` takes precedence.
		 */
		readonly ssh_key_file?: Options["system_user"]["ssh_key_file"];
	};
	readonly auth?: {
		/**
		 * Whether requests need a credential.
		 * Default `true`. `SVC_AUTH_ENABLE` takes precedence.
		 */
		readonly enable?: Options["auth"]["enable"];
		/**
		 * Whether the authentication component has a listener of its own.
		 * Default `true`. `SVC_AUTH_LISTEN` takes precedence.
		 */
		readonly listen?: Options["auth"]["listen"];
		/**
		 * Listen address of the authentication component.
		 * Default `"127.0.0.1"`. `SVC_AUTH_HOST` takes precedence.
		 */
		readonly host?: Options["auth"]["host"];
		/**
		 * Port of the authentication component.
		 * Default `9100`. `SVC_AUTH_PORT` takes precedence.
		 */
		readonly port?: Options["auth"]["port"];
		/**
		 * Whether the authentication component listens with TLS only.
		 * Default `false`. `SVC_AUTH_USE_SSL` takes precedence.
		 */
		readonly use_ssl?: Options["auth"]["use_ssl"];
		/**
		 * Path of the certificate (PEM, with intermediates); read again when it changes.
		 * Default `""`. `SVC_AUTH_CERT` takes precedence.
		 */
		readonly cert?: Options["auth"]["cert"];
		/**
		 * Path of the certificate's private key (PEM); read again when it changes.
		 * Default `""`. `SVC_AUTH_KEY` takes precedence.
		 */
		readonly key?: Options["auth"]["key"];
		/**
		 * Who verifies passwords: the backend, or a proxy in front that names the user.
		 * Default `"standalone"`. `SVC_AUTH_MODE` takes precedence.
		 */
		readonly mode?: Options["auth"]["mode"];
		/**
		 * Addresses or networks (`10.0.0.0/8`) of proxies whose word is taken for client addresses and, in proxy mode, for users; there it must
		 * be set.
		 * Default `[]`. `SVC_AUTH_TRUSTED_PROXIES` takes precedence.
		 */
		readonly trusted_proxies?: Options["auth"]["trusted_proxies"];
		/**
		 * Secret of at least 16 characters that a proxy must send in the header `Svc-Proxy-Secret` to be trusted. Empty: the address of the
		 * proxy suffices.
		 * Default `""`. `SVC_AUTH_PROXY_SECRET` takes precedence.
		 */
		readonly proxy_secret?: Options["auth"]["proxy_secret"];
		/**
		 * In proxy mode, use the user name of basic credentials if no header names the user. The password is not checked.
		 * Default `false`. `SVC_AUTH_PROXY_BASIC` takes precedence.
		 */
		readonly proxy_basic?: Options["auth"]["proxy_basic"];
		/**
		 * Failed sign-ins of a user from one address before each further one must wait; 0 switches that off.
		 * Default `5`. `SVC_AUTH_FAILURE_LIMIT` takes precedence.
		 */
		readonly failure_limit?: Options["auth"]["failure_limit"];
		/**
		 * Longest wait after a failed sign-in in seconds; it doubles from 1.
		 * Default `60`. `SVC_AUTH_FAILURE_WAIT` takes precedence.
		 */
		readonly failure_wait?: Options["auth"]["failure_wait"];
		/**
		 * Lifetime of a token in seconds: the default and the maximum that a client may request.
		 * Default `86400`. `SVC_AUTH_TOKEN_TTL` takes precedence.
		 */
		readonly token_ttl?: Options["auth"]["token_ttl"];
		/**
		 * Lifetime in seconds of the token a running action gets.
		 * Default `86400`. `SVC_AUTH_SERVICE_TOKEN_TTL` takes precedence.
		 */
		readonly service_token_ttl?: Options["auth"]["service_token_ttl"];
		/**
		 * Public base address of the API without the version; empty means the API listener's own.
		 * Default `""`. `SVC_AUTH_API_URL` takes precedence.
		 */
		readonly api_url?: Options["auth"]["api_url"];
	};
	readonly rbac?: {
		/**
		 * Whether roles decide who may do what; without, every user is an administrator.
		 * Default `false`. `SVC_RBAC_ENABLE` takes precedence.
		 */
		readonly enable?: Options["rbac"]["enable"];
	};
	readonly api?: {
		/**
		 * Whether the API component listens.
		 * Default `true`. `SVC_API_LISTEN` takes precedence.
		 */
		readonly listen?: Options["api"]["listen"];
		/**
		 * Listen address of the API component.
		 * Default `"127.0.0.1"`. `SVC_API_HOST` takes precedence.
		 */
		readonly host?: Options["api"]["host"];
		/**
		 * Port of the API component. It also answers the authentication and stream paths.
		 * Default `9101`. `SVC_API_PORT` takes precedence.
		 */
		readonly port?: Options["api"]["port"];
		/**
		 * Whether the API component listens with TLS only.
		 * Default `false`. `SVC_API_USE_SSL` takes precedence.
		 */
		readonly use_ssl?: Options["api"]["use_ssl"];
		/**
		 * Path of the certificate (PEM, with intermediates); read again when it changes.
		 * Default `""`. `SVC_API_CERT` takes precedence.
		 */
		readonly cert?: Options["api"]["cert"];
		/**
		 * Path of the certificate's private key (PEM); read again when it changes.
		 * Default `""`. `SVC_API_KEY_FILE` takes precedence.
		 */
		readonly key?: Options["api"]["key"];
		/**
		 * Origins whose pages may call from browsers, with the cookie too; `*` allows all others, which have to bring a credential themselves.
		 * Default `[]`. `SVC_API_ALLOW_ORIGIN` takes precedence.
		 */
		readonly allow_origin?: Options["api"]["allow_origin"];
		/**
		 * Further names, without port, under which a service whose `auth.enable` is false is answered: its host name, `localhost`, IP addresses
		 * and the hosts of its configured addresses always are.
		 * Default `[]`. `SVC_API_ALLOWED_HOSTS` takes precedence.
		 */
		readonly allowed_hosts?: Options["api"]["allowed_hosts"];
		/**
		 * Largest `limit` of lists for users who are not administrators.
		 * Default `100`. `SVC_API_MAX_PAGE_SIZE` takes precedence.
		 */
		readonly max_page_size?: Options["api"]["max_page_size"];
		/**
		 * How far the records of a list are counted. Where more match, `X-Total-Count` is this number and `X-Total-Count-Exact` is `false`,
		 * which is remembered for five seconds.
		 * Default `100000`. `SVC_API_EXACT_TOTAL_LIMIT` takes precedence.
		 */
		readonly exact_total_limit?: Options["api"]["exact_total_limit"];
		/**
		 * Largest request body in bytes; more is answered with 413. Requests that need no credential, such as sign-in, may have 16 KiB.
		 * Default `4194304`. `SVC_API_MAX_BODY_SIZE` takes precedence.
		 */
		readonly max_body_size?: Options["api"]["max_body_size"];
		/**
		 * Bytes of request bodies that a node holds at once, from their arrival to the answer; one user may hold half of them. More is answered
		 * with 503.
		 * Default `134217728`. `SVC_API_MAX_TOTAL_BODY_SIZE` takes precedence.
		 */
		readonly max_total_body_size?: Options["api"]["max_total_body_size"];
		/**
		 * Whether secrets are masked in answers, streams and output. Tokens of runs always are.
		 * Default `true`. `SVC_API_MASK_SECRETS` takes precedence.
		 */
		readonly mask_secrets?: Options["api"]["mask_secrets"];
		/**
		 * Whether the cookie `auth-token` is sent over HTTPS only.
		 * Default `true`. `SVC_API_AUTH_COOKIE_SECURE` takes precedence.
		 */
		readonly auth_cookie_secure?: Options["api"]["auth_cookie_secure"];
		/**
		 * SameSite of the cookie `auth-token`.
		 * Default `"lax"`. `SVC_API_AUTH_COOKIE_SAME_SITE` takes precedence.
		 */
		readonly auth_cookie_same_site?: Options["api"]["auth_cookie_same_site"];
	};
	readonly stream?: {
		/**
		 * Whether the stream component has a listener of its own.
		 * Default `true`. `SVC_STREAM_LISTEN` takes precedence.
		 */
		readonly listen?: Options["stream"]["listen"];
		/**
		 * Listen address of the stream component.
		 * Default `"127.0.0.1"`. `SVC_STREAM_HOST` takes precedence.
		 */
		readonly host?: Options["stream"]["host"];
		/**
		 * Port of the stream component.
		 * Default `9102`. `SVC_STREAM_PORT` takes precedence.
		 */
		readonly port?: Options["stream"]["port"];
		/**
		 * Whether the stream component listens with TLS only.
		 * Default `false`. `SVC_STREAM_USE_SSL` takes precedence.
		 */
		readonly use_ssl?: Options["stream"]["use_ssl"];
		/**
		 * Path of the certificate (PEM, with intermediates); read again when it changes.
		 * Default `""`. `SVC_STREAM_CERT` takes precedence.
		 */
		readonly cert?: Options["stream"]["cert"];
		/**
		 * Path of the certificate's private key (PEM); read again when it changes.
		 * Default `""`. `SVC_STREAM_KEY` takes precedence.
		 */
		readonly key?: Options["stream"]["key"];
		/**
		 * Seconds between heartbeats on a quiet event stream.
		 * Default `15`. `SVC_STREAM_HEARTBEAT` takes precedence.
		 */
		readonly heartbeat?: Options["stream"]["heartbeat"];
		/**
		 * Most event streams and downloads of output that one user has open on a node; 0 means any number.
		 * Default `100`. `SVC_STREAM_MAX_PER_USER` takes precedence.
		 */
		readonly max_per_user?: Options["stream"]["max_per_user"];
	};
	readonly webui?: {
		/**
		 * Whether the API's listener serves the web page, at its root.
		 * Default `true`. `SVC_WEBUI_ENABLE` takes precedence.
		 */
		readonly enable?: Options["webui"]["enable"];
		/**
		 * Base of `web_url` in executions; empty means the API's address.
		 * Default `""`. `SVC_WEBUI_WEBUI_BASE_URL` takes precedence.
		 */
		readonly webui_base_url?: Options["webui"]["webui_base_url"];
	};
	readonly log?: {
		/**
		 * Least important level that is written.
		 * Default `"info"`. `SVC_LOG_LEVEL` takes precedence.
		 */
		readonly level?: Options["log"]["level"];
		/**
		 * `text` is for human readers, `json` is one object a line; `auto` is `text` on a terminal and `json` otherwise.
		 * Default `"auto"`. `SVC_LOG_FORMAT` takes precedence.
		 */
		readonly format?: Options["log"]["format"];
		/**
		 * Whether secrets are masked in logs.
		 * Default `true`. `SVC_LOG_MASK_SECRETS` takes precedence.
		 */
		readonly mask_secrets?: Options["log"]["mask_secrets"];
		/**
		 * Further attribute names to mask in logs.
		 * Default `[]`. `SVC_LOG_MASK_SECRETS_BLACKLIST` takes precedence.
		 */
		readonly mask_secrets_blacklist?: Options["log"]["mask_secrets_blacklist"];
	};
	readonly actionrunner?: {
		/**
		 * Most executions that run at once on this node.
		 * Default `60`. `SVC_ACTIONRUNNER_ACTIONS_POOL_SIZE` takes precedence.
		 */
		readonly actions_pool_size?: Options["actionrunner"]["actions_pool_size"];
		/**
		 * Whether output is stored and streamed while an action runs.
		 * Default `true`. `SVC_ACTIONRUNNER_STREAM_OUTPUT` takes precedence.
		 */
		readonly stream_output?: Options["actionrunner"]["stream_output"];
		/**
		 * Least important level that loggers of Python actions write, where an action leaves `log_level` at `DEBUG`.
		 * Default `"DEBUG"`. `SVC_ACTIONRUNNER_PYTHON_RUNNER_LOG_LEVEL` takes precedence.
		 */
		readonly python_runner_log_level?: Options["actionrunner"]["python_runner_log_level"];
		/**
		 * Most bytes of each of stdout and stderr in `result`; the stored stream keeps all.
		 * Default `1048576`. `SVC_ACTIONRUNNER_MAX_RESULT_OUTPUT` takes precedence.
		 */
		readonly max_result_output?: Options["actionrunner"]["max_result_output"];
		/**
		 * Whether stopping waits for running actions.
		 * Default `true`. `SVC_ACTIONRUNNER_GRACEFUL_SHUTDOWN` takes precedence.
		 */
		readonly graceful_shutdown?: Options["actionrunner"]["graceful_shutdown"];
		/**
		 * Most seconds that stopping waits for running actions before it ends them.
		 * Default `300`. `SVC_ACTIONRUNNER_EXIT_STILL_ACTIVE_CHECK` takes precedence.
		 */
		readonly exit_still_active_check?: Options["actionrunner"]["exit_still_active_check"];
	};
	readonly mail?: {
		/**
		 * Path of the command that `core.sendmail` sends with, called with `-i -t`; empty means `sendmail`, where systems have it.
		 * Default `""`. `SVC_MAIL_SENDMAIL_BINARY` takes precedence.
		 */
		readonly sendmail_binary?: Options["mail"]["sendmail_binary"];
		/**
		 * Directories, absolute, whose files may be attached to mails; none means that nothing may be.
		 * Default `[]`. `SVC_MAIL_ATTACHMENT_DIRECTORIES` takes precedence.
		 */
		readonly attachment_directories?: Options["mail"]["attachment_directories"];
	};
	readonly ssh_runner?: {
		/**
		 * Whether keys of the agent at `SSH_AUTH_SOCK` are used where neither password nor key is given.
		 * Default `false`. `SVC_SSH_RUNNER_USE_AGENT` takes precedence.
		 */
		readonly use_agent?: Options["ssh_runner"]["use_agent"];
		/**
		 * Directory on remote hosts in which commands run and to which scripts are copied, unless the action names one.
		 * Default `"/tmp"`. `SVC_SSH_RUNNER_REMOTE_DIR` takes precedence.
		 */
		readonly remote_dir?: Options["ssh_runner"]["remote_dir"];
		/**
		 * Whether an execution succeeds when one of its hosts has, instead of all.
		 * Default `false`. `SVC_SSH_RUNNER_ALLOW_PARTIAL_FAILURE` takes precedence.
		 */
		readonly allow_partial_failure?: Options["ssh_runner"]["allow_partial_failure"];
		/**
		 * Most hosts an execution works on at once.
		 * Default `50`. `SVC_SSH_RUNNER_MAX_PARALLEL_ACTIONS` takes precedence.
		 */
		readonly max_parallel_actions?: Options["ssh_runner"]["max_parallel_actions"];
		/**
		 * Whether the SSH configuration file is read.
		 * Default `false`. `SVC_SSH_RUNNER_USE_SSH_CONFIG` takes precedence.
		 */
		readonly use_ssh_config?: Options["ssh_runner"]["use_ssh_config"];
		/**
		 * SSH configuration file.
		 * Default `"~/.ssh/config"`. `SVC_SSH_RUNNER_SSH_CONFIG_FILE_PATH` takes precedence.
		 */
		readonly ssh_config_file_path?: Options["ssh_runner"]["ssh_config_file_path"];
		/**
		 * Seconds a host may take to accept a connection and the sign-in.
		 * Default `60`. `SVC_SSH_RUNNER_SSH_CONNECT_TIMEOUT` takes precedence.
		 */
		readonly ssh_connect_timeout?: Options["ssh_runner"]["ssh_connect_timeout"];
		/**
		 * Seconds a connection without work is kept for the next execution; 0 closes it at once.
		 * Default `60`. `SVC_SSH_RUNNER_CONNECTION_IDLE_TIMEOUT` takes precedence.
		 */
		readonly connection_idle_timeout?: Options["ssh_runner"]["connection_idle_timeout"];
		/**
		 * Hosts that `known_hosts` does not hold: `accept-new` writes their key down, `strict` refuses them; `off` checks nothing.
		 * Default `"accept-new"`. `SVC_SSH_RUNNER_HOST_KEY_CHECK` takes precedence.
		 */
		readonly host_key_check?: Options["ssh_runner"]["host_key_check"];
		/**
		 * File with the keys of known hosts.
		 * Default `"~/.ssh/known_hosts"`. `SVC_SSH_RUNNER_KNOWN_HOSTS` takes precedence.
		 */
		readonly known_hosts?: Options["ssh_runner"]["known_hosts"];
	};
	readonly scheduler?: {
		/**
		 * Seconds between polls for work that no event announced.
		 * Default `1`. `SVC_SCHEDULER_POLL_INTERVAL` takes precedence.
		 */
		readonly poll_interval?: Options["scheduler"]["poll_interval"];
		/**
		 * Seconds a node holds an execution without renewing; renewed at a third of it.
		 * Default `10`. `SVC_SCHEDULER_LEASE` takes precedence.
		 */
		readonly lease?: Options["scheduler"]["lease"];
		/**
		 * Maximum seconds by which the clock of a node may differ from that of a shared storage. If a clock differs more, the log, the health
		 * and the list of nodes report it, and the node takes over no work of other nodes.
		 * Default `2`. `SVC_SCHEDULER_CLOCK_TOLERANCE` takes precedence.
		 */
		readonly clock_tolerance?: Options["scheduler"]["clock_tolerance"];
	};
	readonly audit?: {
		/**
		 * Days that entries of the audit record are kept; 0 keeps them.
		 * Default `0`. `SVC_AUDIT_KEEP_DAYS` takes precedence.
		 */
		readonly keep_days?: Options["audit"]["keep_days"];
		/**
		 * Entries of this node after which the audit record is signed.
		 * Default `100`. `SVC_AUDIT_CHECKPOINT_ENTRIES` takes precedence.
		 */
		readonly checkpoint_entries?: Options["audit"]["checkpoint_entries"];
		/**
		 * Seconds after which it is signed where there are fewer.
		 * Default `600`. `SVC_AUDIT_CHECKPOINT_INTERVAL` takes precedence.
		 */
		readonly checkpoint_interval?: Options["audit"]["checkpoint_interval"];
		/**
		 * File that signed checkpoints are appended to, as lines of JSON; best on another machine, such as a mounted volume. Empty: they are in
		 * the log and in the storage alone.
		 * Default `""`. `SVC_AUDIT_CHECKPOINT_FILE` takes precedence.
		 */
		readonly checkpoint_file?: Options["audit"]["checkpoint_file"];
		/**
		 * Ed25519 private key (PEM) that signs them; relative to the data directory, made when missing. Empty means `audit-key.pem` there.
		 * Default `""`. `SVC_AUDIT_CHECKPOINT_KEY_PATH` takes precedence.
		 */
		readonly checkpoint_key_path?: Options["audit"]["checkpoint_key_path"];
		/**
		 * Changes of datastore items by running actions that are recorded: `all`, `none`, or `some`. `some` records the first change of each
		 * item and user in an hour, at most sixty an hour on each node, and the number of further changes.
		 * Default `"some"`. `SVC_AUDIT_DATASTORE_OF_RUNS` takes precedence.
		 */
		readonly datastore_of_runs?: Options["audit"]["datastore_of_runs"];
	};
	readonly workers?: {
		/**
		 * Runner types whose runs may be carried out by workers (`svc worker`): their actions take the parameter `svc_worker_labels`. Empty:
		 * none.
		 * Default `[]`. `SVC_WORKERS_RUNNERS` takes precedence.
		 */
		readonly runners?: Options["workers"]["runners"];
		/**
		 * Seconds for which a worker holds a run without telling of it. Less than 15 leaves processes that ignore TERM less than five seconds
		 * to end.
		 * Default `15`. `SVC_WORKERS_LEASE` takes precedence.
		 */
		readonly lease?: Options["workers"]["lease"];
	};
	readonly garbagecollector?: {
		/**
		 * Seconds between removals of expired records.
		 * Default `600`. `SVC_GARBAGECOLLECTOR_COLLECTION_INTERVAL` takes precedence.
		 */
		readonly collection_interval?: Options["garbagecollector"]["collection_interval"];
		/**
		 * Seconds between one kind of records that something was removed of and the next.
		 * Default `2`. `SVC_GARBAGECOLLECTOR_SLEEP_DELAY` takes precedence.
		 */
		readonly sleep_delay?: Options["garbagecollector"]["sleep_delay"];
		/**
		 * Days that stored output is kept after its execution has ended; 0 keeps it. The records stay.
		 * Default `7`. `SVC_GARBAGECOLLECTOR_ACTION_EXECUTIONS_TTL` takes precedence.
		 */
		readonly action_executions_ttl?: Options["garbagecollector"]["action_executions_ttl"];
		/**
		 * Another name of `action_executions_ttl`.
		 * Default `7`. `SVC_GARBAGECOLLECTOR_ACTION_EXECUTIONS_OUTPUT_TTL` takes precedence.
		 */
		readonly action_executions_output_ttl?: Options["garbagecollector"]["action_executions_output_ttl"];
		/**
		 * Days that whole executions are kept after they have ended, with all they have started; 0 keeps them.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_PURGE_EXECUTIONS_TTL` takes precedence.
		 */
		readonly purge_executions_ttl?: Options["garbagecollector"]["purge_executions_ttl"];
		/**
		 * Days that trigger instances are kept which rules have been done with; 0 keeps them.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_TRIGGER_INSTANCES_TTL` takes precedence.
		 */
		readonly trigger_instances_ttl?: Options["garbagecollector"]["trigger_instances_ttl"];
		/**
		 * Days that rule enforcements are kept; 0 keeps them.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_RULE_ENFORCEMENTS_TTL` takes precedence.
		 */
		readonly rule_enforcements_ttl?: Options["garbagecollector"]["rule_enforcements_ttl"];
		/**
		 * Days that webhook deliveries are kept, at least as long as a webhook detects repeated deliveries; 0 keeps them forever.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_WEBHOOK_DELIVERIES_TTL` takes precedence.
		 */
		readonly webhook_deliveries_ttl?: Options["garbagecollector"]["webhook_deliveries_ttl"];
		/**
		 * Days that traces are kept that nothing belongs to any more; 0 keeps them.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_TRACES_TTL` takes precedence.
		 */
		readonly traces_ttl?: Options["garbagecollector"]["traces_ttl"];
		/**
		 * Days that tokens are kept after they have expired; 0 removes them with the next collection.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_TOKENS_TTL` takes precedence.
		 */
		readonly tokens_ttl?: Options["garbagecollector"]["tokens_ttl"];
		/**
		 * Whether inquiries end as timed out once their `ttl` has passed.
		 * Default `false`. `SVC_GARBAGECOLLECTOR_PURGE_INQUIRIES` takes precedence.
		 */
		readonly purge_inquiries?: Options["garbagecollector"]["purge_inquiries"];
	};
	readonly workflow_engine?: {
		/**
		 * Seconds after which the collector ends a workflow that runs although nothing of it is active: no child that has not ended, no step
		 * and no change of its status; more than any task without an action, and any pause between two steps, is delayed. 0 ends none.
		 * Default `86400`. `SVC_WORKFLOW_ENGINE_GC_MAX_IDLE_SEC` takes precedence.
		 */
		readonly gc_max_idle_sec?: Options["workflow_engine"]["gc_max_idle_sec"];
	};
	readonly action_sensor?: {
		/**
		 * Whether executions that end make instances of the trigger `core.svc.generic.actiontrigger`.
		 * Default `true`. `SVC_ACTION_SENSOR_ENABLE` takes precedence.
		 */
		readonly enable?: Options["action_sensor"]["enable"];
		/**
		 * Final states that do.
		 * Default `["succeeded","failed","timeout","canceled","abandoned"]`. `SVC_ACTION_SENSOR_EMIT_WHEN` takes precedence.
		 */
		readonly emit_when?: Options["action_sensor"]["emit_when"];
	};
	readonly content?: {
		/**
		 * Indexes of packs that can be installed by name: addresses of JSON files, or absolute paths of such files or of folders of packs. If
		 * several contain a name, the last one is used.
		 * Default `[]`. `SVC_CONTENT_INDEX_URL` takes precedence.
		 */
		readonly index_url?: Options["content"]["index_url"];
		/**
		 * Address that `org/repository` is short for a part of, where packs are installed.
		 * Default `"https://github.com"`. `SVC_CONTENT_PUBLIC_HOST` takes precedence.
		 */
		readonly public_host?: Options["content"]["public_host"];
		/**
		 * Directories, absolute, below which packs, archives and repositories of this machine may be installed from; empty: anywhere that the
		 * service can read.
		 * Default `[]`. `SVC_CONTENT_SOURCE_DIRECTORIES` takes precedence.
		 */
		readonly source_directories?: Options["content"]["source_directories"];
		/**
		 * Whether Python actions and sensors of a pack import modules of its folder `lib`, before those of `actions/lib`.
		 * Default `false`. `SVC_CONTENT_ENABLE_COMMON_LIBS` takes precedence.
		 */
		readonly enable_common_libs?: Options["content"]["enable_common_libs"];
		/**
		 * File with a line for each server that requires a user name and a password, such as `https://name:token@host`, for indexes, archives
		 * and repositories.
		 * Default `""`. `SVC_CONTENT_CREDENTIALS_FILE` takes precedence.
		 */
		readonly credentials_file?: Options["content"]["credentials_file"];
		/**
		 * File with certificates (PEM) of authorities to trust for these, in addition to those that Node.js trusts.
		 * Default `""`. `SVC_CONTENT_CA_FILE` takes precedence.
		 */
		readonly ca_file?: Options["content"]["ca_file"];
		/**
		 * Maximum bytes of all files of an installed pack, and of an archive. A repository may have ten times as many.
		 * Default `104857600`. `SVC_CONTENT_MAX_PACK_SIZE` takes precedence.
		 */
		readonly max_pack_size?: Options["content"]["max_pack_size"];
		/**
		 * Most bytes of one file of such a pack.
		 * Default `26214400`. `SVC_CONTENT_MAX_FILE_SIZE` takes precedence.
		 */
		readonly max_file_size?: Options["content"]["max_file_size"];
		/**
		 * Most files and folders of such a pack.
		 * Default `20000`. `SVC_CONTENT_MAX_FILES` takes precedence.
		 */
		readonly max_files?: Options["content"]["max_files"];
		/**
		 * Most seconds that such a pack may take to arrive.
		 * Default `300`. `SVC_CONTENT_FETCH_TIMEOUT` takes precedence.
		 */
		readonly fetch_timeout?: Options["content"]["fetch_timeout"];
		/**
		 * Absolute path of a directory with files that override `enabled` of packs: `_global.yaml`, `<pack>.yaml`. Empty: `overrides` in each
		 * directory of `packs`.
		 * Default `""`. `SVC_CONTENT_OVERRIDES` takes precedence.
		 */
		readonly overrides?: Options["content"]["overrides"];
	};
	readonly rules?: {
		/**
		 * Most trigger instances that this node processes at once.
		 * Default `64`. `SVC_RULES_POOL_SIZE` takes precedence.
		 */
		readonly pool_size?: Options["rules"]["pool_size"];
		/**
		 * Maximum length of a chain of rules in which each acts on an event that the previous one caused.
		 * Default `20`. `SVC_RULES_DEPTH_LIMIT` takes precedence.
		 */
		readonly depth_limit?: Options["rules"]["depth_limit"];
		/**
		 * Maximum number of times a minute that a rule acts on events that it caused itself, within one trace.
		 * Default `30`. `SVC_RULES_LOOP_LIMIT` takes precedence.
		 */
		readonly loop_limit?: Options["rules"]["loop_limit"];
	};
	readonly timersengine?: {
		/**
		 * Whether this node fires timers.
		 * Default `true`. `SVC_TIMERSENGINE_ENABLE` takes precedence.
		 */
		readonly enable?: Options["timersengine"]["enable"];
		/**
		 * Time zone of timers whose parameters name none, such as `Europe/Berlin`.
		 * Default `"UTC"`. `SVC_TIMERSENGINE_LOCAL_TIMEZONE` takes precedence.
		 */
		readonly local_timezone?: Options["timersengine"]["local_timezone"];
		/**
		 * Seconds after its due time during which a timer still fires if no node was running; later it waits for its next due time.
		 * Default `60`. `SVC_TIMERSENGINE_MISFIRE_GRACE` takes precedence.
		 */
		readonly misfire_grace?: Options["timersengine"]["misfire_grace"];
	};
	readonly sensorcontainer?: {
		/**
		 * Whether this node runs sensors.
		 * Default `true`. `SVC_SENSORCONTAINER_ENABLE` takes precedence.
		 */
		readonly enable?: Options["sensorcontainer"]["enable"];
		/**
		 * How often a sensor that fails time after time is started again before it is given up; -1 means that it never is.
		 * Default `2`. `SVC_SENSORCONTAINER_MAX_RESTARTS` takes precedence.
		 */
		readonly max_restarts?: Options["sensorcontainer"]["max_restarts"];
		/**
		 * Seconds before a sensor that failed is started again; doubled with each failure in a row.
		 * Default `2.5`. `SVC_SENSORCONTAINER_RESTART_DELAY` takes precedence.
		 */
		readonly restart_delay?: Options["sensorcontainer"]["restart_delay"];
		/**
		 * Most seconds that this wait grows to.
		 * Default `300`. `SVC_SENSORCONTAINER_MAX_RESTART_DELAY` takes precedence.
		 */
		readonly max_restart_delay?: Options["sensorcontainer"]["max_restart_delay"];
		/**
		 * Seconds a sensor must have run for its earlier failures to count no more.
		 * Default `10`. `SVC_SENSORCONTAINER_RESTART_RESET` takes precedence.
		 */
		readonly restart_reset?: Options["sensorcontainer"]["restart_reset"];
		/**
		 * Most seconds that switching a sensor off, or stopping the service, waits for it to end.
		 * Default `5`. `SVC_SENSORCONTAINER_SHUTDOWN_GRACE` takes precedence.
		 */
		readonly shutdown_grace?: Options["sensorcontainer"]["shutdown_grace"];
	};
	readonly keyvalue?: {
		/**
		 * Whether the datastore keeps secret values, encrypted.
		 * Default `true`. `SVC_KEYVALUE_ENABLE_ENCRYPTION` takes precedence.
		 */
		readonly enable_encryption?: Options["keyvalue"]["enable_encryption"];
		/**
		 * Path of the key file of the datastore; empty means `datastore-key.json` in the data directory.
		 * Default `""`. `SVC_KEYVALUE_ENCRYPTION_KEY_PATH` takes precedence.
		 */
		readonly encryption_key_path?: Options["keyvalue"]["encryption_key_path"];
		/**
		 * Maximum number of datastore items that a user may store in the user's own scope, where no permission is needed.
		 * Default `1000`. `SVC_KEYVALUE_USER_ITEMS` takes precedence.
		 */
		readonly user_items?: Options["keyvalue"]["user_items"];
		/**
		 * Maximum number of bytes of the values and descriptions of these items together, for each user.
		 * Default `10485760`. `SVC_KEYVALUE_USER_BYTES` takes precedence.
		 */
		readonly user_bytes?: Options["keyvalue"]["user_bytes"];
	};
}
