// Made by `npm run docs:update` from options.ts. Do not edit.
import type { FeatureOptionsInput, Options } from "./options.ts";

/** Options as a configuration may give them. Every option may be absent, and then has its default. */
export interface OptionsInput extends FeatureOptionsInput {
	readonly system?: {
		/**
		 * Debug mode: logs are verbose and secrets in them are not masked.
		 * Default `false`. `SVC_SYSTEM_DEBUG` takes precedence.
		 */
		readonly debug?: Options["system"]["debug"];
		/**
		 * True if parameters of triggers must match the schema of their type. Those of webhooks and timers must always match.
		 * Default `true`. `SVC_SYSTEM_VALIDATE_TRIGGER_PARAMETERS` takes precedence.
		 */
		readonly validate_trigger_parameters?: Options["system"]["validate_trigger_parameters"];
		/**
		 * True if payloads must match the schema of their trigger type. Those of webhooks and timers must always match.
		 * Default `true`. `SVC_SYSTEM_VALIDATE_TRIGGER_PAYLOAD` takes precedence.
		 */
		readonly validate_trigger_payload?: Options["system"]["validate_trigger_payload"];
	};
	readonly node?: {
		/**
		 * Name of this node, to distinguish it from other nodes. Empty: the host name.
		 * Default `""`. `SVC_NODE_NAME` takes precedence.
		 */
		readonly name?: Options["node"]["name"];
		/**
		 * Roles of this node: the parts of the service that it runs. Empty: all of them. `svc serve --only` takes precedence.
		 * Default `[]`. `SVC_NODE_ONLY` takes precedence.
		 */
		readonly only?: Options["node"]["only"];
		/**
		 * True if the node has a separate listener for `/health/live`, `/health/ready` and `/metrics` only.
		 * Default `false`. `SVC_NODE_HEALTH_LISTEN` takes precedence.
		 */
		readonly health_listen?: Options["node"]["health_listen"];
		/**
		 * Listen address of the health listener.
		 * Default `"127.0.0.1"`. `SVC_NODE_HEALTH_HOST` takes precedence.
		 */
		readonly health_host?: Options["node"]["health_host"];
		/**
		 * Port of the health listener.
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
		 * Private key for remote hosts, if neither the action nor the SSH configuration names one. Empty: none.
		 * Default `""`. `SVC_SYSTEM_USER_SSH_KEY_FILE` takes precedence.
		 */
		readonly ssh_key_file?: Options["system_user"]["ssh_key_file"];
	};
	readonly auth?: {
		/**
		 * True if requests require a credential.
		 * Default `true`. `SVC_AUTH_ENABLE` takes precedence.
		 */
		readonly enable?: Options["auth"]["enable"];
		/**
		 * True if the authentication component has its own listener. The API listener serves the paths of the authentication component in
		 * either case.
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
		 * True if the authentication component accepts TLS connections only.
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
		 * `standalone`: the auth backend verifies passwords. `proxy`: a reverse proxy authenticates users and names the user in a header.
		 * Default `"standalone"`. `SVC_AUTH_MODE` takes precedence.
		 */
		readonly mode?: Options["auth"]["mode"];
		/**
		 * Addresses or networks (`10.0.0.0/8`) of trusted proxies. Their headers determine the client address and, in proxy mode, the user.
		 * Required in proxy mode.
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
		 * Number of failed sign-ins of a user from one address from which on each further attempt must wait. 0: attempts never wait.
		 * Default `5`. `SVC_AUTH_FAILURE_LIMIT` takes precedence.
		 */
		readonly failure_limit?: Options["auth"]["failure_limit"];
		/**
		 * Maximum wait after a failed sign-in, in seconds. The wait begins with 1 second and doubles with each failure.
		 * Default `60`. `SVC_AUTH_FAILURE_WAIT` takes precedence.
		 */
		readonly failure_wait?: Options["auth"]["failure_wait"];
		/**
		 * Lifetime of a token in seconds: the default and the maximum that a client may request.
		 * Default `86400`. `SVC_AUTH_TOKEN_TTL` takes precedence.
		 */
		readonly token_ttl?: Options["auth"]["token_ttl"];
		/**
		 * Lifetime in seconds of the token that a running action receives.
		 * Default `86400`. `SVC_AUTH_SERVICE_TOKEN_TTL` takes precedence.
		 */
		readonly service_token_ttl?: Options["auth"]["service_token_ttl"];
		/**
		 * Public base address of the API, without the version. Empty: the address of the API listener.
		 * Default `""`. `SVC_AUTH_API_URL` takes precedence.
		 */
		readonly api_url?: Options["auth"]["api_url"];
	};
	readonly rbac?: {
		/**
		 * True if roles determine the permissions of users. If false, every user is an administrator.
		 * Default `false`. `SVC_RBAC_ENABLE` takes precedence.
		 */
		readonly enable?: Options["rbac"]["enable"];
	};
	readonly api?: {
		/**
		 * True if the API component has a listener.
		 * Default `true`. `SVC_API_LISTEN` takes precedence.
		 */
		readonly listen?: Options["api"]["listen"];
		/**
		 * Listen address of the API component.
		 * Default `"127.0.0.1"`. `SVC_API_HOST` takes precedence.
		 */
		readonly host?: Options["api"]["host"];
		/**
		 * Port of the API component. Its listener also serves the paths of authentication and stream.
		 * Default `9101`. `SVC_API_PORT` takes precedence.
		 */
		readonly port?: Options["api"]["port"];
		/**
		 * True if the API component accepts TLS connections only.
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
		 * Origins whose pages may call the API from browsers, including requests with the cookie. `*` allows all other origins, whose pages
		 * must send a credential other than the cookie.
		 * Default `[]`. `SVC_API_ALLOW_ORIGIN` takes precedence.
		 */
		readonly allow_origin?: Options["api"]["allow_origin"];
		/**
		 * Additional host names, without port, that requests may address while `auth.enable` is false. The name of the host, `localhost`, IP
		 * addresses and the hosts of configured addresses are always allowed.
		 * Default `[]`. `SVC_API_ALLOWED_HOSTS` takes precedence.
		 */
		readonly allowed_hosts?: Options["api"]["allowed_hosts"];
		/**
		 * Maximum `limit` of lists for users who are not administrators.
		 * Default `100`. `SVC_API_MAX_PAGE_SIZE` takes precedence.
		 */
		readonly max_page_size?: Options["api"]["max_page_size"];
		/**
		 * Maximum number of records that are counted for a list. If more match, `X-Total-Count` is this number and `X-Total-Count-Exact` is
		 * `false`. That result is cached for five seconds.
		 * Default `100000`. `SVC_API_EXACT_TOTAL_LIMIT` takes precedence.
		 */
		readonly exact_total_limit?: Options["api"]["exact_total_limit"];
		/**
		 * Maximum bytes of a request body. The response to a larger body is 413. Without a credential, as at sign-in, the maximum is 16 KiB.
		 * Default `4194304`. `SVC_API_MAX_BODY_SIZE` takes precedence.
		 */
		readonly max_body_size?: Options["api"]["max_body_size"];
		/**
		 * Maximum total bytes of request bodies in the memory of a node, from their arrival to the response. A single user may use half of
		 * them. Further requests are refused with 503.
		 * Default `134217728`. `SVC_API_MAX_TOTAL_BODY_SIZE` takes precedence.
		 */
		readonly max_total_body_size?: Options["api"]["max_total_body_size"];
		/**
		 * True if secrets are masked in responses, streams and output. Tokens of runs are always masked.
		 * Default `true`. `SVC_API_MASK_SECRETS` takes precedence.
		 */
		readonly mask_secrets?: Options["api"]["mask_secrets"];
		/**
		 * True if browsers send the cookie `auth-token` over HTTPS only.
		 * Default `true`. `SVC_API_AUTH_COOKIE_SECURE` takes precedence.
		 */
		readonly auth_cookie_secure?: Options["api"]["auth_cookie_secure"];
		/**
		 * Attribute `SameSite` of the cookie `auth-token`.
		 * Default `"lax"`. `SVC_API_AUTH_COOKIE_SAME_SITE` takes precedence.
		 */
		readonly auth_cookie_same_site?: Options["api"]["auth_cookie_same_site"];
	};
	readonly stream?: {
		/**
		 * True if the stream component has its own listener. The API listener serves the paths of the stream component in either case.
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
		 * True if the stream component accepts TLS connections only.
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
		 * Seconds between heartbeats on an event stream without events.
		 * Default `15`. `SVC_STREAM_HEARTBEAT` takes precedence.
		 */
		readonly heartbeat?: Options["stream"]["heartbeat"];
		/**
		 * Maximum number of event streams and output downloads that one user may have open on a node. 0: no limit.
		 * Default `100`. `SVC_STREAM_MAX_PER_USER` takes precedence.
		 */
		readonly max_per_user?: Options["stream"]["max_per_user"];
	};
	readonly webui?: {
		/**
		 * True if the API listener serves the web interface at `/`.
		 * Default `true`. `SVC_WEBUI_ENABLE` takes precedence.
		 */
		readonly enable?: Options["webui"]["enable"];
		/**
		 * Base address for `web_url` of executions. Empty: the address of the API.
		 * Default `""`. `SVC_WEBUI_WEBUI_BASE_URL` takes precedence.
		 */
		readonly webui_base_url?: Options["webui"]["webui_base_url"];
		/**
		 * Absolute path of a directory with the built documentation site, which the API listener serves at `/docs/`. Empty: the documentation
		 * is not served.
		 * Default `""`. `SVC_WEBUI_DOCS_DIR` takes precedence.
		 */
		readonly docs_dir?: Options["webui"]["docs_dir"];
	};
	readonly log?: {
		/**
		 * Minimum level of messages that are logged.
		 * Default `"info"`. `SVC_LOG_LEVEL` takes precedence.
		 */
		readonly level?: Options["log"]["level"];
		/**
		 * Format of log messages. `text`: for human readers. `json`: one JSON object per line. `auto`: `text` on a terminal, otherwise `json`.
		 * Default `"auto"`. `SVC_LOG_FORMAT` takes precedence.
		 */
		readonly format?: Options["log"]["format"];
		/**
		 * True if secrets are masked in logs.
		 * Default `true`. `SVC_LOG_MASK_SECRETS` takes precedence.
		 */
		readonly mask_secrets?: Options["log"]["mask_secrets"];
		/**
		 * Additional names of attributes whose values are masked in logs.
		 * Default `[]`. `SVC_LOG_MASK_SECRETS_BLACKLIST` takes precedence.
		 */
		readonly mask_secrets_blacklist?: Options["log"]["mask_secrets_blacklist"];
	};
	readonly actionrunner?: {
		/**
		 * Maximum number of executions that run concurrently on this node.
		 * Default `60`. `SVC_ACTIONRUNNER_ACTIONS_POOL_SIZE` takes precedence.
		 */
		readonly actions_pool_size?: Options["actionrunner"]["actions_pool_size"];
		/**
		 * True if output is stored and streamed while an action runs.
		 * Default `true`. `SVC_ACTIONRUNNER_STREAM_OUTPUT` takes precedence.
		 */
		readonly stream_output?: Options["actionrunner"]["stream_output"];
		/**
		 * Minimum level of messages that loggers of Python actions write. An action overrides it with a `log_level` other than `DEBUG`.
		 * Default `"DEBUG"`. `SVC_ACTIONRUNNER_PYTHON_RUNNER_LOG_LEVEL` takes precedence.
		 */
		readonly python_runner_log_level?: Options["actionrunner"]["python_runner_log_level"];
		/**
		 * Maximum bytes of stdout, and of stderr, in `result`. The stored output is always complete.
		 * Default `1048576`. `SVC_ACTIONRUNNER_MAX_RESULT_OUTPUT` takes precedence.
		 */
		readonly max_result_output?: Options["actionrunner"]["max_result_output"];
		/**
		 * True if the service waits for running actions when it stops.
		 * Default `true`. `SVC_ACTIONRUNNER_GRACEFUL_SHUTDOWN` takes precedence.
		 */
		readonly graceful_shutdown?: Options["actionrunner"]["graceful_shutdown"];
		/**
		 * Maximum seconds that the service waits for running actions when it stops. Then it ends them.
		 * Default `300`. `SVC_ACTIONRUNNER_EXIT_STILL_ACTIVE_CHECK` takes precedence.
		 */
		readonly exit_still_active_check?: Options["actionrunner"]["exit_still_active_check"];
	};
	readonly mail?: {
		/**
		 * Path of the command with which `core.sendmail` sends mail. It is called with `-i -t`. Empty: `sendmail` in the usual directories.
		 * Default `""`. `SVC_MAIL_SENDMAIL_BINARY` takes precedence.
		 */
		readonly sendmail_binary?: Options["mail"]["sendmail_binary"];
		/**
		 * Absolute paths of directories whose files may be attached to mails. Empty: no attachments are allowed.
		 * Default `[]`. `SVC_MAIL_ATTACHMENT_DIRECTORIES` takes precedence.
		 */
		readonly attachment_directories?: Options["mail"]["attachment_directories"];
	};
	readonly ssh_runner?: {
		/**
		 * True if keys of the agent at `SSH_AUTH_SOCK` are used if neither a password nor a key is given.
		 * Default `false`. `SVC_SSH_RUNNER_USE_AGENT` takes precedence.
		 */
		readonly use_agent?: Options["ssh_runner"]["use_agent"];
		/**
		 * Directory on remote hosts in which commands run and to which scripts are copied, unless the action names another one.
		 * Default `"/tmp"`. `SVC_SSH_RUNNER_REMOTE_DIR` takes precedence.
		 */
		readonly remote_dir?: Options["ssh_runner"]["remote_dir"];
		/**
		 * True if an execution succeeds when at least one of its hosts has succeeded. If false, all hosts must succeed.
		 * Default `false`. `SVC_SSH_RUNNER_ALLOW_PARTIAL_FAILURE` takes precedence.
		 */
		readonly allow_partial_failure?: Options["ssh_runner"]["allow_partial_failure"];
		/**
		 * Maximum number of hosts on which an execution works concurrently.
		 * Default `50`. `SVC_SSH_RUNNER_MAX_PARALLEL_ACTIONS` takes precedence.
		 */
		readonly max_parallel_actions?: Options["ssh_runner"]["max_parallel_actions"];
		/**
		 * True if the SSH configuration file is read.
		 * Default `false`. `SVC_SSH_RUNNER_USE_SSH_CONFIG` takes precedence.
		 */
		readonly use_ssh_config?: Options["ssh_runner"]["use_ssh_config"];
		/**
		 * Path of the SSH configuration file.
		 * Default `"~/.ssh/config"`. `SVC_SSH_RUNNER_SSH_CONFIG_FILE_PATH` takes precedence.
		 */
		readonly ssh_config_file_path?: Options["ssh_runner"]["ssh_config_file_path"];
		/**
		 * Maximum seconds until a host accepts the connection and the sign-in.
		 * Default `60`. `SVC_SSH_RUNNER_SSH_CONNECT_TIMEOUT` takes precedence.
		 */
		readonly ssh_connect_timeout?: Options["ssh_runner"]["ssh_connect_timeout"];
		/**
		 * Seconds that an idle connection stays open for the next execution. 0: it is closed immediately.
		 * Default `60`. `SVC_SSH_RUNNER_CONNECTION_IDLE_TIMEOUT` takes precedence.
		 */
		readonly connection_idle_timeout?: Options["ssh_runner"]["connection_idle_timeout"];
		/**
		 * Check of host keys. `accept-new`: adds the keys of unknown hosts to `known_hosts`. `strict`: refuses unknown hosts. `off`: checks no
		 * keys.
		 * Default `"accept-new"`. `SVC_SSH_RUNNER_HOST_KEY_CHECK` takes precedence.
		 */
		readonly host_key_check?: Options["ssh_runner"]["host_key_check"];
		/**
		 * Path of the file with the keys of known hosts.
		 * Default `"~/.ssh/known_hosts"`. `SVC_SSH_RUNNER_KNOWN_HOSTS` takes precedence.
		 */
		readonly known_hosts?: Options["ssh_runner"]["known_hosts"];
	};
	readonly scheduler?: {
		/**
		 * Seconds between polls of the storage for work that was not announced by an event.
		 * Default `1`. `SVC_SCHEDULER_POLL_INTERVAL` takes precedence.
		 */
		readonly poll_interval?: Options["scheduler"]["poll_interval"];
		/**
		 * Seconds until the lease of a node on an execution expires. The node renews it three times in this period.
		 * Default `10`. `SVC_SCHEDULER_LEASE` takes precedence.
		 */
		readonly lease?: Options["scheduler"]["lease"];
		/**
		 * Maximum seconds by which the clock of a node may differ from that of a shared storage. If it differs more, the node takes over no
		 * work of other nodes, and the log, the health and the list of nodes report it.
		 * Default `2`. `SVC_SCHEDULER_CLOCK_TOLERANCE` takes precedence.
		 */
		readonly clock_tolerance?: Options["scheduler"]["clock_tolerance"];
	};
	readonly garbagecollector?: {
		/**
		 * Seconds between removals of expired records.
		 * Default `600`. `SVC_GARBAGECOLLECTOR_COLLECTION_INTERVAL` takes precedence.
		 */
		readonly collection_interval?: Options["garbagecollector"]["collection_interval"];
		/**
		 * Seconds that the collector waits between two kinds of records, if it has removed records of the first one.
		 * Default `2`. `SVC_GARBAGECOLLECTOR_SLEEP_DELAY` takes precedence.
		 */
		readonly sleep_delay?: Options["garbagecollector"]["sleep_delay"];
		/**
		 * Days from the end of an execution until its stored output is deleted. 0: never. The execution itself is kept.
		 * Default `7`. `SVC_GARBAGECOLLECTOR_ACTION_EXECUTIONS_TTL` takes precedence.
		 */
		readonly action_executions_ttl?: Options["garbagecollector"]["action_executions_ttl"];
		/**
		 * Alias of `action_executions_ttl`.
		 * Default `7`. `SVC_GARBAGECOLLECTOR_ACTION_EXECUTIONS_OUTPUT_TTL` takes precedence.
		 */
		readonly action_executions_output_ttl?: Options["garbagecollector"]["action_executions_output_ttl"];
		/**
		 * Days from the end of an execution until it is deleted, with all executions that it has started. 0: never.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_PURGE_EXECUTIONS_TTL` takes precedence.
		 */
		readonly purge_executions_ttl?: Options["garbagecollector"]["purge_executions_ttl"];
		/**
		 * Days until processed trigger instances are deleted. 0: never.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_TRIGGER_INSTANCES_TTL` takes precedence.
		 */
		readonly trigger_instances_ttl?: Options["garbagecollector"]["trigger_instances_ttl"];
		/**
		 * Days until rule enforcements are deleted. 0: never.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_RULE_ENFORCEMENTS_TTL` takes precedence.
		 */
		readonly rule_enforcements_ttl?: Options["garbagecollector"]["rule_enforcements_ttl"];
		/**
		 * Days until webhook deliveries are deleted, but never before the period in which the webhook detects repetitions has passed. 0: never.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_WEBHOOK_DELIVERIES_TTL` takes precedence.
		 */
		readonly webhook_deliveries_ttl?: Options["garbagecollector"]["webhook_deliveries_ttl"];
		/**
		 * Days until traces are deleted to which no record belongs any more. 0: never.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_TRACES_TTL` takes precedence.
		 */
		readonly traces_ttl?: Options["garbagecollector"]["traces_ttl"];
		/**
		 * Days from the expiry of a token until it is deleted. 0: the next collection deletes it.
		 * Default `0`. `SVC_GARBAGECOLLECTOR_TOKENS_TTL` takes precedence.
		 */
		readonly tokens_ttl?: Options["garbagecollector"]["tokens_ttl"];
		/**
		 * True if inquiries end with the status `timeout` when their `ttl` has passed.
		 * Default `false`. `SVC_GARBAGECOLLECTOR_PURGE_INQUIRIES` takes precedence.
		 */
		readonly purge_inquiries?: Options["garbagecollector"]["purge_inquiries"];
	};
	readonly workflow_engine?: {
		/**
		 * Seconds without activity after which the collector ends a running workflow: all of its children have ended, and neither a step nor
		 * its status has changed. Must exceed the delay of any task without an action, and any pause between two steps. 0: never.
		 * Default `86400`. `SVC_WORKFLOW_ENGINE_GC_MAX_IDLE_SEC` takes precedence.
		 */
		readonly gc_max_idle_sec?: Options["workflow_engine"]["gc_max_idle_sec"];
	};
	readonly action_sensor?: {
		/**
		 * True if each execution that ends dispatches the trigger `core.svc.generic.actiontrigger`.
		 * Default `true`. `SVC_ACTION_SENSOR_ENABLE` takes precedence.
		 */
		readonly enable?: Options["action_sensor"]["enable"];
		/**
		 * Final statuses for which `core.svc.generic.actiontrigger` is dispatched.
		 * Default `["succeeded","failed","timeout","canceled","abandoned"]`. `SVC_ACTION_SENSOR_EMIT_WHEN` takes precedence.
		 */
		readonly emit_when?: Options["action_sensor"]["emit_when"];
	};
	readonly content?: {
		/**
		 * Indexes of packs that can be installed by name: addresses of JSON files, or absolute paths of JSON files or of directories of packs.
		 * If several indexes contain a name, the last one is used.
		 * Default `[]`. `SVC_CONTENT_INDEX_URL` takes precedence.
		 */
		readonly index_url?: Options["content"]["index_url"];
		/**
		 * Base address for packs that are installed as `org/repository`.
		 * Default `"https://github.com"`. `SVC_CONTENT_PUBLIC_HOST` takes precedence.
		 */
		readonly public_host?: Options["content"]["public_host"];
		/**
		 * Absolute paths of directories from which packs, archives and repositories of this machine may be installed. Empty: any directory that
		 * the service can read.
		 * Default `[]`. `SVC_CONTENT_SOURCE_DIRECTORIES` takes precedence.
		 */
		readonly source_directories?: Options["content"]["source_directories"];
		/**
		 * True if Python actions and sensors of a pack can import modules from its directory `lib`, which takes precedence over `actions/lib`.
		 * Default `false`. `SVC_CONTENT_ENABLE_COMMON_LIBS` takes precedence.
		 */
		readonly enable_common_libs?: Options["content"]["enable_common_libs"];
		/**
		 * Path of a file with credentials for indexes, archives and repositories: one line per server, such as `https://name:token@host`.
		 * Default `""`. `SVC_CONTENT_CREDENTIALS_FILE` takes precedence.
		 */
		readonly credentials_file?: Options["content"]["credentials_file"];
		/**
		 * Path of a file with CA certificates (PEM) for indexes, archives and repositories, in addition to those that Node.js trusts.
		 * Default `""`. `SVC_CONTENT_CA_FILE` takes precedence.
		 */
		readonly ca_file?: Options["content"]["ca_file"];
		/**
		 * Maximum bytes of all files of an installed pack, and of an archive. A repository may have ten times as many.
		 * Default `104857600`. `SVC_CONTENT_MAX_PACK_SIZE` takes precedence.
		 */
		readonly max_pack_size?: Options["content"]["max_pack_size"];
		/**
		 * Maximum bytes of a single file of an installed pack.
		 * Default `26214400`. `SVC_CONTENT_MAX_FILE_SIZE` takes precedence.
		 */
		readonly max_file_size?: Options["content"]["max_file_size"];
		/**
		 * Maximum number of files and directories of an installed pack.
		 * Default `20000`. `SVC_CONTENT_MAX_FILES` takes precedence.
		 */
		readonly max_files?: Options["content"]["max_files"];
		/**
		 * Maximum seconds for the download of a pack.
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
		 * Maximum number of trigger instances that this node processes concurrently.
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
		 * True if this node fires timers.
		 * Default `true`. `SVC_TIMERSENGINE_ENABLE` takes precedence.
		 */
		readonly enable?: Options["timersengine"]["enable"];
		/**
		 * Time zone of timers whose parameters name none, such as `Europe/Berlin`.
		 * Default `"UTC"`. `SVC_TIMERSENGINE_LOCAL_TIMEZONE` takes precedence.
		 */
		readonly local_timezone?: Options["timersengine"]["local_timezone"];
		/**
		 * Seconds after a missed due time within which a timer still fires. After that, the timer fires at its next due time.
		 * Default `60`. `SVC_TIMERSENGINE_MISFIRE_GRACE` takes precedence.
		 */
		readonly misfire_grace?: Options["timersengine"]["misfire_grace"];
	};
	readonly sensorcontainer?: {
		/**
		 * True if this node runs sensors.
		 * Default `true`. `SVC_SENSORCONTAINER_ENABLE` takes precedence.
		 */
		readonly enable?: Options["sensorcontainer"]["enable"];
		/**
		 * Number of restarts after consecutive failures of a sensor. After that, it is no longer restarted. -1: no limit.
		 * Default `2`. `SVC_SENSORCONTAINER_MAX_RESTARTS` takes precedence.
		 */
		readonly max_restarts?: Options["sensorcontainer"]["max_restarts"];
		/**
		 * Seconds before a failed sensor is restarted. They double with each consecutive failure.
		 * Default `2.5`. `SVC_SENSORCONTAINER_RESTART_DELAY` takes precedence.
		 */
		readonly restart_delay?: Options["sensorcontainer"]["restart_delay"];
		/**
		 * Maximum seconds before a failed sensor is restarted.
		 * Default `300`. `SVC_SENSORCONTAINER_MAX_RESTART_DELAY` takes precedence.
		 */
		readonly max_restart_delay?: Options["sensorcontainer"]["max_restart_delay"];
		/**
		 * Seconds after which a running sensor counts as recovered: its earlier failures no longer count.
		 * Default `10`. `SVC_SENSORCONTAINER_RESTART_RESET` takes precedence.
		 */
		readonly restart_reset?: Options["sensorcontainer"]["restart_reset"];
		/**
		 * Maximum seconds that the service waits for a sensor to end when the sensor is disabled or the service stops.
		 * Default `5`. `SVC_SENSORCONTAINER_SHUTDOWN_GRACE` takes precedence.
		 */
		readonly shutdown_grace?: Options["sensorcontainer"]["shutdown_grace"];
	};
	readonly keyvalue?: {
		/**
		 * True if the datastore accepts secret values, which it stores encrypted.
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
		 * Maximum total bytes of values and descriptions of the datastore items in a user's own scope.
		 * Default `10485760`. `SVC_KEYVALUE_USER_BYTES` takes precedence.
		 */
		readonly user_bytes?: Options["keyvalue"]["user_bytes"];
	};
}
