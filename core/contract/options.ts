import { nodeRoles } from "./entities/node.ts";

interface OptionBase {
	/** One sentence for the configuration reference. */
	readonly description: string;
	/** Name of an equivalent option of the section. Setting either of them sets both. */
	readonly alias_of?: string;
	/**
	 * True if the value is a secret. `svc plan` masks it, messages about a wrong value do not quote it, and logs mask its strings, even with
	 * `log.mask_secrets: false`. An alias needs the same. Default: true for a string or a list whose name contains `pass`, `secret`, `token`,
	 * `key` or `credential` and does not end with `_path` or `_file`, otherwise false.
	 */
	readonly secret?: boolean;
}

/**
 * Definition of an option: its type, default and limits. Types, validation, environment variables and the reference are derived from
 * it.
 */
export type OptionDefinition = OptionBase &
	(
		| { readonly type: "boolean"; readonly default: boolean }
		| {
				readonly type: "integer";
				readonly default: number;
				readonly minimum?: number;
				readonly maximum?: number;
		  }
		| { readonly type: "number"; readonly default: number; readonly minimum?: number; readonly maximum?: number }
		| { readonly type: "string"; readonly default: string; readonly choices?: readonly string[] }
		| { readonly type: "list"; readonly default: readonly string[]; readonly choices?: readonly string[] }
	);

/** Definitions of the options of a section, by name. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;
/** Definitions of options, by section and name. */
export type OptionSections = Readonly<Record<string, OptionDefinitions>>;

/** Sections and options of core, named as in the specification. With `port` 0, the operating system chooses the port. */
export const optionSections = {
	system: {
		debug: {
			type: "boolean",
			default: false,
			description: "Debug mode: logs are verbose and secrets in them are not masked.",
		},
		validate_trigger_parameters: {
			type: "boolean",
			default: true,
			description: "True if parameters of triggers must match the schema of their type. Those of webhooks and timers must always match.",
		},
		validate_trigger_payload: {
			type: "boolean",
			default: true,
			description: "True if payloads must match the schema of their trigger type. Those of webhooks and timers must always match.",
		},
	},
	node: {
		name: { type: "string", default: "", description: "Name of this node, to distinguish it from other nodes. Empty: the host name." },
		only: {
			type: "list",
			default: [],
			choices: nodeRoles,
			description: "Roles of this node: the parts of the service that it runs. Empty: all of them. `svc serve --only` takes precedence.",
		},
		health_listen: {
			type: "boolean",
			default: false,
			description: "True if the node has a separate listener for `/health/live`, `/health/ready` and `/metrics` only.",
		},
		health_host: { type: "string", default: "127.0.0.1", description: "Listen address of the health listener." },
		health_port: { type: "integer", default: 9103, minimum: 0, maximum: 65535, description: "Port of the health listener." },
	},
	system_user: {
		user: {
			type: "string",
			default: "svc",
			description:
				"User name of executions that rules start, and of all executions while authentication is off. No user can sign in with this name or a similar one. Also the default user on remote hosts.",
		},
		ssh_key_file: {
			type: "string",
			default: "",
			description: "Private key for remote hosts, if neither the action nor the SSH configuration names one. Empty: none.",
		},
	},
	auth: {
		enable: { type: "boolean", default: true, description: "True if requests require a credential." },
		listen: {
			type: "boolean",
			default: true,
			description:
				"True if the authentication component has its own listener. The API listener serves the paths of the authentication component in either case.",
		},
		host: { type: "string", default: "127.0.0.1", description: "Listen address of the authentication component." },
		port: { type: "integer", default: 9100, minimum: 0, maximum: 65535, description: "Port of the authentication component." },
		use_ssl: { type: "boolean", default: false, description: "True if the authentication component accepts TLS connections only." },
		cert: { type: "string", default: "", description: "Path of the certificate (PEM, with intermediates); read again when it changes." },
		key: {
			type: "string",
			default: "",
			secret: false,
			description: "Path of the certificate's private key (PEM); read again when it changes.",
		},
		mode: {
			type: "string",
			default: "standalone",
			choices: ["standalone", "proxy"],
			description:
				"`standalone`: the auth backend verifies passwords. `proxy`: a reverse proxy authenticates users and names the user in a header.",
		},
		trusted_proxies: {
			type: "list",
			default: [],
			description:
				"Addresses or networks (`10.0.0.0/8`) of trusted proxies. Their headers determine the client address and, in proxy mode, the user. Required in proxy mode.",
		},
		proxy_secret: {
			type: "string",
			default: "",
			secret: true,
			description:
				"Secret of at least 16 characters that a proxy must send in the header `Svc-Proxy-Secret` to be trusted. Empty: the address of the proxy suffices.",
		},
		proxy_basic: {
			type: "boolean",
			default: false,
			description: "In proxy mode, use the user name of basic credentials if no header names the user. The password is not checked.",
		},
		failure_limit: {
			type: "integer",
			default: 5,
			minimum: 0,
			description:
				"Number of failed sign-ins of a user from one address from which on each further attempt must wait. 0: attempts never wait.",
		},
		failure_wait: {
			type: "integer",
			default: 60,
			minimum: 1,
			description: "Maximum wait after a failed sign-in, in seconds. The wait begins with 1 second and doubles with each failure.",
		},
		token_ttl: {
			type: "integer",
			default: 86_400,
			minimum: 1,
			description: "Lifetime of a token in seconds: the default and the maximum that a client may request.",
		},
		service_token_ttl: {
			type: "integer",
			default: 86_400,
			minimum: 1,
			description: "Lifetime in seconds of the token that a running action receives.",
		},
		api_url: {
			type: "string",
			default: "",
			description: "Public base address of the API, without the version. Empty: the address of the API listener.",
		},
	},
	rbac: {
		enable: {
			type: "boolean",
			default: false,
			description: "True if roles determine the permissions of users. If false, every user is an administrator.",
		},
	},
	api: {
		listen: { type: "boolean", default: true, description: "True if the API component has a listener." },
		host: { type: "string", default: "127.0.0.1", description: "Listen address of the API component." },
		port: {
			type: "integer",
			default: 9101,
			minimum: 0,
			maximum: 65535,
			description: "Port of the API component. Its listener also serves the paths of authentication and stream.",
		},
		use_ssl: { type: "boolean", default: false, description: "True if the API component accepts TLS connections only." },
		cert: { type: "string", default: "", description: "Path of the certificate (PEM, with intermediates); read again when it changes." },
		key: {
			type: "string",
			default: "",
			secret: false,
			description: "Path of the certificate's private key (PEM); read again when it changes.",
		},
		allow_origin: {
			type: "list",
			default: [],
			description:
				"Origins whose pages may call the API from browsers, including requests with the cookie. `*` allows all other origins, whose pages must send a credential other than the cookie.",
		},
		allowed_hosts: {
			type: "list",
			default: [],
			description:
				"Additional host names, without port, that requests may address while `auth.enable` is false. The name of the host, `localhost`, IP addresses and the hosts of configured addresses are always allowed.",
		},
		max_page_size: {
			type: "integer",
			default: 100,
			minimum: 1,
			description: "Maximum `limit` of lists for users who are not administrators.",
		},
		exact_total_limit: {
			type: "integer",
			default: 100_000,
			minimum: 1,
			description:
				"Maximum number of records that are counted for a list. If more match, `X-Total-Count` is this number and `X-Total-Count-Exact` is `false`. That result is cached for five seconds.",
		},
		max_body_size: {
			type: "integer",
			default: 4_194_304,
			minimum: 1_024,
			description:
				"Maximum bytes of a request body. The response to a larger body is 413. Without a credential, as at sign-in, the maximum is 16 KiB.",
		},
		max_total_body_size: {
			type: "integer",
			default: 134_217_728,
			minimum: 1_048_576,
			description:
				"Maximum total bytes of request bodies in the memory of a node, from their arrival to the response. A single user may use half of them. Further requests are refused with 503.",
		},
		mask_secrets: {
			type: "boolean",
			default: true,
			description: "True if secrets are masked in responses, streams and output. Tokens of runs are always masked.",
		},
		auth_cookie_secure: { type: "boolean", default: true, description: "True if browsers send the cookie `auth-token` over HTTPS only." },
		auth_cookie_same_site: {
			type: "string",
			default: "lax",
			choices: ["strict", "lax", "none", "unset"],
			description: "Attribute `SameSite` of the cookie `auth-token`.",
		},
	},
	stream: {
		listen: {
			type: "boolean",
			default: true,
			description:
				"True if the stream component has its own listener. The API listener serves the paths of the stream component in either case.",
		},
		host: { type: "string", default: "127.0.0.1", description: "Listen address of the stream component." },
		port: { type: "integer", default: 9102, minimum: 0, maximum: 65535, description: "Port of the stream component." },
		use_ssl: { type: "boolean", default: false, description: "True if the stream component accepts TLS connections only." },
		cert: { type: "string", default: "", description: "Path of the certificate (PEM, with intermediates); read again when it changes." },
		key: {
			type: "string",
			default: "",
			secret: false,
			description: "Path of the certificate's private key (PEM); read again when it changes.",
		},
		heartbeat: {
			type: "number",
			default: 15,
			minimum: 0.05,
			maximum: 15,
			description: "Seconds between heartbeats on an event stream without events.",
		},
		max_per_user: {
			type: "integer",
			default: 100,
			minimum: 0,
			description: "Maximum number of event streams and output downloads that one user may have open on a node. 0: no limit.",
		},
	},
	webui: {
		enable: { type: "boolean", default: true, description: "True if the API listener serves the web interface at `/`." },
		webui_base_url: {
			type: "string",
			default: "",
			description: "Base address for `web_url` of executions. Empty: the address of the API.",
		},
		docs_dir: {
			type: "string",
			default: "",
			description:
				"Absolute path of a directory with the built documentation site, which the API listener serves at `/docs/`. Empty: the documentation is not served.",
		},
	},
	log: {
		level: {
			type: "string",
			default: "info",
			choices: ["error", "warn", "info", "debug"],
			description: "Minimum level of messages that are logged.",
		},
		format: {
			type: "string",
			default: "auto",
			choices: ["auto", "text", "json"],
			description:
				"Format of log messages. `text`: for human readers. `json`: one JSON object per line. `auto`: `text` on a terminal, otherwise `json`.",
		},
		mask_secrets: { type: "boolean", default: true, description: "True if secrets are masked in logs." },
		mask_secrets_blacklist: {
			type: "list",
			default: [],
			secret: false,
			description: "Additional names of attributes whose values are masked in logs.",
		},
	},
	actionrunner: {
		actions_pool_size: {
			type: "integer",
			default: 60,
			minimum: 1,
			description: "Maximum number of executions that run concurrently on this node.",
		},
		stream_output: { type: "boolean", default: true, description: "True if output is stored and streamed while an action runs." },
		python_runner_log_level: {
			type: "string",
			default: "DEBUG",
			choices: ["AUDIT", "CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG"],
			description:
				"Minimum level of messages that loggers of Python actions write. An action overrides it with a `log_level` other than `DEBUG`.",
		},
		max_result_output: {
			type: "integer",
			default: 1_048_576,
			minimum: 0,
			description: "Maximum bytes of stdout, and of stderr, in `result`. The stored output is always complete.",
		},
		graceful_shutdown: { type: "boolean", default: true, description: "True if the service waits for running actions when it stops." },
		exit_still_active_check: {
			type: "number",
			default: 300,
			minimum: 0,
			description: "Maximum seconds that the service waits for running actions when it stops. Then it ends them.",
		},
	},
	mail: {
		sendmail_binary: {
			type: "string",
			default: "",
			description:
				"Path of the command with which `core.sendmail` sends mail. It is called with `-i -t`. Empty: `sendmail` in the usual directories.",
		},
		attachment_directories: {
			type: "list",
			default: [],
			description: "Absolute paths of directories whose files may be attached to mails. Empty: no attachments are allowed.",
		},
	},
	ssh_runner: {
		use_agent: {
			type: "boolean",
			default: false,
			description: "True if keys of the agent at `SSH_AUTH_SOCK` are used if neither a password nor a key is given.",
		},
		remote_dir: {
			type: "string",
			default: "/tmp",
			description: "Directory on remote hosts in which commands run and to which scripts are copied, unless the action names another one.",
		},
		allow_partial_failure: {
			type: "boolean",
			default: false,
			description: "True if an execution succeeds when at least one of its hosts has succeeded. If false, all hosts must succeed.",
		},
		max_parallel_actions: {
			type: "integer",
			default: 50,
			minimum: 1,
			description: "Maximum number of hosts on which an execution works concurrently.",
		},
		use_ssh_config: { type: "boolean", default: false, description: "True if the SSH configuration file is read." },
		ssh_config_file_path: { type: "string", default: "~/.ssh/config", description: "Path of the SSH configuration file." },
		ssh_connect_timeout: {
			type: "number",
			default: 60,
			minimum: 0.1,
			description: "Maximum seconds until a host accepts the connection and the sign-in.",
		},
		connection_idle_timeout: {
			type: "number",
			default: 60,
			minimum: 0,
			description: "Seconds that an idle connection stays open for the next execution. 0: it is closed immediately.",
		},
		host_key_check: {
			type: "string",
			default: "accept-new",
			secret: false,
			choices: ["accept-new", "strict", "off"],
			description:
				"Check of host keys. `accept-new`: adds the keys of unknown hosts to `known_hosts`. `strict`: refuses unknown hosts. `off`: checks no keys.",
		},
		known_hosts: { type: "string", default: "~/.ssh/known_hosts", description: "Path of the file with the keys of known hosts." },
	},
	scheduler: {
		poll_interval: {
			type: "number",
			default: 1,
			minimum: 0.01,
			description: "Seconds between polls of the storage for work that was not announced by an event.",
		},
		lease: {
			type: "number",
			default: 10,
			minimum: 0.1,
			description: "Seconds until the lease of a node on an execution expires. The node renews it three times in this period.",
		},
		clock_tolerance: {
			type: "number",
			default: 2,
			minimum: 0.1,
			description:
				"Maximum seconds by which the clock of a node may differ from that of a shared storage. If it differs more, the node takes over no work of other nodes, and the log, the health and the list of nodes report it.",
		},
	},
	garbagecollector: {
		collection_interval: {
			type: "number",
			default: 600,
			minimum: 0.01,
			description: "Seconds between removals of expired records.",
		},
		sleep_delay: {
			type: "number",
			default: 2,
			minimum: 0,
			description: "Seconds that the collector waits between two kinds of records, if it has removed records of the first one.",
		},
		action_executions_ttl: {
			type: "integer",
			default: 7,
			minimum: 0,
			maximum: 36_500,
			description: "Days from the end of an execution until its stored output is deleted. 0: never. The execution itself is kept.",
		},
		action_executions_output_ttl: {
			type: "integer",
			default: 7,
			minimum: 0,
			maximum: 36_500,
			alias_of: "action_executions_ttl",
			description: "Alias of `action_executions_ttl`.",
		},
		purge_executions_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days from the end of an execution until it is deleted, with all executions that it has started. 0: never.",
		},
		trigger_instances_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days until processed trigger instances are deleted. 0: never.",
		},
		rule_enforcements_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days until rule enforcements are deleted. 0: never.",
		},
		webhook_deliveries_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description:
				"Days until webhook deliveries are deleted, but never before the period in which the webhook detects repetitions has passed. 0: never.",
		},
		traces_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days until traces are deleted to which no record belongs any more. 0: never.",
		},
		tokens_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days from the expiry of a token until it is deleted. 0: the next collection deletes it.",
		},
		purge_inquiries: {
			type: "boolean",
			default: false,
			description: "True if inquiries end with the status `timeout` when their `ttl` has passed.",
		},
	},
	workflow_engine: {
		gc_max_idle_sec: {
			type: "integer",
			default: 86_400,
			minimum: 0,
			maximum: 315_360_000,
			description:
				"Seconds without activity after which the collector ends a running workflow: all of its children have ended, and neither a step nor its status has changed. Must exceed the delay of any task without an action, and any pause between two steps. 0: never.",
		},
	},
	action_sensor: {
		enable: {
			type: "boolean",
			default: true,
			description: "True if each execution that ends dispatches the trigger `core.svc.generic.actiontrigger`.",
		},
		emit_when: {
			type: "list",
			default: ["succeeded", "failed", "timeout", "canceled", "abandoned"],
			description: "Final statuses for which `core.svc.generic.actiontrigger` is dispatched.",
		},
	},
	content: {
		index_url: {
			type: "list",
			default: [],
			description:
				"Indexes of packs that can be installed by name: addresses of JSON files, or absolute paths of JSON files or of directories of packs. If several indexes contain a name, the last one is used.",
		},
		public_host: {
			type: "string",
			default: "https://github.com",
			description: "Base address for packs that are installed as `org/repository`.",
		},
		source_directories: {
			type: "list",
			default: [],
			description:
				"Absolute paths of directories from which packs, archives and repositories of this machine may be installed. Empty: any directory that the service can read.",
		},
		enable_common_libs: {
			type: "boolean",
			default: false,
			description:
				"True if Python actions and sensors of a pack can import modules from its directory `lib`, which takes precedence over `actions/lib`.",
		},
		credentials_file: {
			type: "string",
			default: "",
			description:
				"Path of a file with credentials for indexes, archives and repositories: one line per server, such as `https://name:token@host`.",
		},
		ca_file: {
			type: "string",
			default: "",
			description:
				"Path of a file with CA certificates (PEM) for indexes, archives and repositories, in addition to those that Node.js trusts.",
		},
		max_pack_size: {
			type: "integer",
			default: 104_857_600,
			minimum: 1_024,
			maximum: 2_147_483_647,
			description: "Maximum bytes of all files of an installed pack, and of an archive. A repository may have ten times as many.",
		},
		max_file_size: {
			type: "integer",
			default: 26_214_400,
			minimum: 1_024,
			maximum: 2_147_483_647,
			description: "Maximum bytes of a single file of an installed pack.",
		},
		max_files: {
			type: "integer",
			default: 20_000,
			minimum: 1,
			maximum: 1_000_000,
			description: "Maximum number of files and directories of an installed pack.",
		},
		fetch_timeout: {
			type: "integer",
			default: 300,
			minimum: 1,
			maximum: 86_400,
			description: "Maximum seconds for the download of a pack.",
		},
		overrides: {
			type: "string",
			default: "",
			description:
				"Absolute path of a directory with files that override `enabled` of packs: `_global.yaml`, `<pack>.yaml`. Empty: `overrides` in each directory of `packs`.",
		},
	},
	rules: {
		pool_size: {
			type: "integer",
			default: 64,
			minimum: 1,
			description: "Maximum number of trigger instances that this node processes concurrently.",
		},
		depth_limit: {
			type: "integer",
			default: 20,
			minimum: 1,
			description: "Maximum length of a chain of rules in which each acts on an event that the previous one caused.",
		},
		loop_limit: {
			type: "integer",
			default: 30,
			minimum: 1,
			description: "Maximum number of times a minute that a rule acts on events that it caused itself, within one trace.",
		},
	},
	timersengine: {
		enable: { type: "boolean", default: true, description: "True if this node fires timers." },
		local_timezone: {
			type: "string",
			default: "UTC",
			description: "Time zone of timers whose parameters name none, such as `Europe/Berlin`.",
		},
		misfire_grace: {
			type: "number",
			default: 60,
			minimum: 0,
			description: "Seconds after a missed due time within which a timer still fires. After that, the timer fires at its next due time.",
		},
	},
	sensorcontainer: {
		enable: { type: "boolean", default: true, description: "True if this node runs sensors." },
		max_restarts: {
			type: "integer",
			default: 2,
			minimum: -1,
			description: "Number of restarts after consecutive failures of a sensor. After that, it is no longer restarted. -1: no limit.",
		},
		restart_delay: {
			type: "number",
			default: 2.5,
			minimum: 0.01,
			description: "Seconds before a failed sensor is restarted. They double with each consecutive failure.",
		},
		max_restart_delay: { type: "number", default: 300, minimum: 0.01, description: "Maximum seconds before a failed sensor is restarted." },
		restart_reset: {
			type: "number",
			default: 10,
			minimum: 0,
			description: "Seconds after which a running sensor counts as recovered: its earlier failures no longer count.",
		},
		shutdown_grace: {
			type: "number",
			default: 5,
			minimum: 0,
			description: "Maximum seconds that the service waits for a sensor to end when the sensor is disabled or the service stops.",
		},
	},
	keyvalue: {
		enable_encryption: {
			type: "boolean",
			default: true,
			description: "True if the datastore accepts secret values, which it stores encrypted.",
		},
		encryption_key_path: {
			type: "string",
			default: "",
			description: "Path of the key file of the datastore; empty means `datastore-key.json` in the data directory.",
		},
		user_items: {
			type: "integer",
			default: 1_000,
			minimum: 0,
			description: "Maximum number of datastore items that a user may store in the user's own scope, where no permission is needed.",
		},
		user_bytes: {
			type: "integer",
			default: 10_485_760,
			minimum: 0,
			description: "Maximum total bytes of values and descriptions of the datastore items in a user's own scope.",
		},
	},
} as const satisfies OptionSections;

/**
 * Option sections of features, by name. A feature declares the type of its definitions here by declaration merging, and has them in its
 * `options`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface FeatureOptionSections {}

type Sections = typeof optionSections & FeatureOptionSections;
/** The TypeScript type of an option's value. */
type OptionValue<D> = D extends { readonly type: "list"; readonly choices: readonly (infer C)[] }
	? readonly C[]
	: D extends { readonly type: "boolean" }
		? boolean
		: D extends { readonly type: "integer" | "number" }
			? number
			: D extends { readonly choices: readonly (infer C)[] }
				? C
				: D extends { readonly type: "list" }
					? readonly string[]
					: string;

/** The options of all sections, with defaults applied. */
export type Options = { readonly [S in keyof Sections]: { readonly [O in keyof Sections[S]]: OptionValue<Sections[S][O]> } };

/** Options of features as a configuration may give them. Every option may be absent, and then has its default. */
export type FeatureOptionsInput = { readonly [S in keyof FeatureOptionSections]?: Partial<Options[S]> };
