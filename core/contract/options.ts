import { nodeRoles } from "./entities/node.ts";

interface OptionBase {
	/** One sentence for the configuration reference. */
	readonly description: string;
	/** Name of an equivalent option of the section. Setting either of them sets both. */
	readonly alias_of?: string;
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

/** Sections and options, named as in the specification. With `port` 0, the operating system chooses the port. */
export const optionSections = {
	system: {
		debug: {
			type: "boolean",
			default: false,
			description: "Debug mode: verbose logs, and no masking in them (specification, Secrets masking 5).",
		},
		validate_trigger_parameters: {
			type: "boolean",
			default: true,
			description: "Whether parameters of triggers must fit the schema of their type; those of webhooks and timers always must.",
		},
		validate_trigger_payload: {
			type: "boolean",
			default: true,
			description: "Whether payloads must fit the schema of their trigger type; those of webhooks and timers always must.",
		},
	},
	node: {
		name: { type: "string", default: "", description: "Name of this node among several; empty means the name of its host." },
		only: {
			type: "list",
			default: [],
			choices: nodeRoles,
			description: "Parts of the service that this node runs; empty means all of them. `svc serve --only` takes precedence.",
		},
		health_listen: {
			type: "boolean",
			default: false,
			description: "Whether there is a listener that answers `/health/live`, `/health/ready` and `/metrics`, and nothing else.",
		},
		health_host: { type: "string", default: "127.0.0.1", description: "Listen address of that listener." },
		health_port: { type: "integer", default: 9103, minimum: 0, maximum: 65535, description: "Port of that listener." },
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
			description: "Private key for remote hosts where neither the action nor the SSH configuration names one; empty means none.",
		},
	},
	auth: {
		enable: { type: "boolean", default: true, description: "Whether requests need a credential." },
		listen: { type: "boolean", default: true, description: "Whether the authentication component has a listener of its own." },
		host: { type: "string", default: "127.0.0.1", description: "Listen address of the authentication component." },
		port: { type: "integer", default: 9100, minimum: 0, maximum: 65535, description: "Port of the authentication component." },
		use_ssl: { type: "boolean", default: false, description: "Whether the authentication component listens with TLS only." },
		cert: { type: "string", default: "", description: "Path of the certificate (PEM, with intermediates); read again when it changes." },
		key: { type: "string", default: "", description: "Path of the certificate's private key (PEM); read again when it changes." },
		mode: {
			type: "string",
			default: "standalone",
			choices: ["standalone", "proxy"],
			description: "Who verifies passwords: the backend, or a proxy in front that names the user.",
		},
		trusted_proxies: {
			type: "list",
			default: [],
			description:
				"Addresses or networks (`10.0.0.0/8`) of proxies whose word is taken for client addresses and, in proxy mode, for users; there it must be set.",
		},
		proxy_secret: {
			type: "string",
			default: "",
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
			description: "Failed sign-ins of a user from one address before each further one must wait; 0 switches that off.",
		},
		failure_wait: {
			type: "integer",
			default: 60,
			minimum: 1,
			description: "Longest wait after a failed sign-in in seconds; it doubles from 1.",
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
			description: "Lifetime in seconds of the token a running action gets.",
		},
		api_url: {
			type: "string",
			default: "",
			description: "Public base address of the API without the version; empty means the API listener's own.",
		},
	},
	rbac: {
		enable: {
			type: "boolean",
			default: false,
			description: "Whether roles decide who may do what; without, every user is an administrator.",
		},
	},
	api: {
		listen: { type: "boolean", default: true, description: "Whether the API component listens." },
		host: { type: "string", default: "127.0.0.1", description: "Listen address of the API component." },
		port: {
			type: "integer",
			default: 9101,
			minimum: 0,
			maximum: 65535,
			description: "Port of the API component. It also answers the authentication and stream paths.",
		},
		use_ssl: { type: "boolean", default: false, description: "Whether the API component listens with TLS only." },
		cert: { type: "string", default: "", description: "Path of the certificate (PEM, with intermediates); read again when it changes." },
		key: { type: "string", default: "", description: "Path of the certificate's private key (PEM); read again when it changes." },
		allow_origin: {
			type: "list",
			default: [],
			description:
				"Origins whose pages may call from browsers, with the cookie too; `*` allows all others, which have to bring a credential themselves.",
		},
		allowed_hosts: {
			type: "list",
			default: [],
			description:
				"Further names, without port, under which a service whose `auth.enable` is false is answered: its host name, `localhost`, IP addresses and the hosts of its configured addresses always are.",
		},
		max_page_size: {
			type: "integer",
			default: 100,
			minimum: 1,
			description: "Largest `limit` of lists for users who are not administrators.",
		},
		exact_total_limit: {
			type: "integer",
			default: 100_000,
			minimum: 1,
			description:
				"How far the records of a list are counted. Where more match, `X-Total-Count` is this number and `X-Total-Count-Exact` is `false`, which is remembered for five seconds.",
		},
		max_body_size: {
			type: "integer",
			default: 4_194_304,
			minimum: 1_024,
			description:
				"Largest request body in bytes; more is answered with 413. Requests that need no credential, such as sign-in, may have 16 KiB.",
		},
		max_total_body_size: {
			type: "integer",
			default: 134_217_728,
			minimum: 1_048_576,
			description:
				"Bytes of request bodies that a node holds at once, from their arrival to the answer; one user may hold half of them. More is answered with 503.",
		},
		mask_secrets: {
			type: "boolean",
			default: true,
			description: "Whether secrets are masked in answers, streams and output. Tokens of runs always are.",
		},
		auth_cookie_secure: { type: "boolean", default: true, description: "Whether the cookie `auth-token` is sent over HTTPS only." },
		auth_cookie_same_site: {
			type: "string",
			default: "lax",
			choices: ["strict", "lax", "none", "unset"],
			description: "SameSite of the cookie `auth-token`.",
		},
	},
	stream: {
		listen: { type: "boolean", default: true, description: "Whether the stream component has a listener of its own." },
		host: { type: "string", default: "127.0.0.1", description: "Listen address of the stream component." },
		port: { type: "integer", default: 9102, minimum: 0, maximum: 65535, description: "Port of the stream component." },
		use_ssl: { type: "boolean", default: false, description: "Whether the stream component listens with TLS only." },
		cert: { type: "string", default: "", description: "Path of the certificate (PEM, with intermediates); read again when it changes." },
		key: { type: "string", default: "", description: "Path of the certificate's private key (PEM); read again when it changes." },
		heartbeat: {
			type: "number",
			default: 15,
			minimum: 0.05,
			maximum: 15,
			description: "Seconds between heartbeats on a quiet event stream.",
		},
		max_per_user: {
			type: "integer",
			default: 100,
			minimum: 0,
			description: "Most event streams and downloads of output that one user has open on a node; 0 means any number.",
		},
	},
	webui: {
		enable: { type: "boolean", default: true, description: "Whether the API's listener serves the web page, at its root." },
		webui_base_url: { type: "string", default: "", description: "Base of `web_url` in executions; empty means the API's address." },
	},
	log: {
		level: {
			type: "string",
			default: "info",
			choices: ["error", "warn", "info", "debug"],
			description: "Least important level that is written.",
		},
		format: {
			type: "string",
			default: "auto",
			choices: ["auto", "text", "json"],
			description: "`text` is for human readers, `json` is one object a line; `auto` is `text` on a terminal and `json` otherwise.",
		},
		mask_secrets: { type: "boolean", default: true, description: "Whether secrets are masked in logs." },
		mask_secrets_blacklist: { type: "list", default: [], description: "Further attribute names to mask in logs." },
	},
	actionrunner: {
		actions_pool_size: { type: "integer", default: 60, minimum: 1, description: "Most executions that run at once on this node." },
		stream_output: { type: "boolean", default: true, description: "Whether output is stored and streamed while an action runs." },
		python_runner_log_level: {
			type: "string",
			default: "DEBUG",
			choices: ["AUDIT", "CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG"],
			description: "Least important level that loggers of Python actions write, where an action leaves `log_level` at `DEBUG`.",
		},
		max_result_output: {
			type: "integer",
			default: 1_048_576,
			minimum: 0,
			description: "Most bytes of each of stdout and stderr in `result`; the stored stream keeps all.",
		},
		graceful_shutdown: { type: "boolean", default: true, description: "Whether stopping waits for running actions." },
		exit_still_active_check: {
			type: "number",
			default: 300,
			minimum: 0,
			description: "Most seconds that stopping waits for running actions before it ends them.",
		},
	},
	mail: {
		sendmail_binary: {
			type: "string",
			default: "",
			description:
				"Path of the command that `core.sendmail` sends with, called with `-i -t`; empty means `sendmail`, where systems have it.",
		},
		attachment_directories: {
			type: "list",
			default: [],
			description: "Directories, absolute, whose files may be attached to mails; none means that nothing may be.",
		},
	},
	ssh_runner: {
		use_agent: {
			type: "boolean",
			default: false,
			description: "Whether keys of the agent at `SSH_AUTH_SOCK` are used where neither password nor key is given.",
		},
		remote_dir: {
			type: "string",
			default: "/tmp",
			description: "Directory on remote hosts in which commands run and to which scripts are copied, unless the action names one.",
		},
		allow_partial_failure: {
			type: "boolean",
			default: false,
			description: "Whether an execution succeeds when one of its hosts has, instead of all.",
		},
		max_parallel_actions: { type: "integer", default: 50, minimum: 1, description: "Most hosts an execution works on at once." },
		use_ssh_config: { type: "boolean", default: false, description: "Whether the SSH configuration file is read." },
		ssh_config_file_path: { type: "string", default: "~/.ssh/config", description: "SSH configuration file." },
		ssh_connect_timeout: {
			type: "number",
			default: 60,
			minimum: 0.1,
			description: "Seconds a host may take to accept a connection and the sign-in.",
		},
		connection_idle_timeout: {
			type: "number",
			default: 60,
			minimum: 0,
			description: "Seconds a connection without work is kept for the next execution; 0 closes it at once.",
		},
		host_key_check: {
			type: "string",
			default: "accept-new",
			choices: ["accept-new", "strict", "off"],
			description:
				"Hosts that `known_hosts` does not hold: `accept-new` writes their key down, `strict` refuses them; `off` checks nothing.",
		},
		known_hosts: { type: "string", default: "~/.ssh/known_hosts", description: "File with the keys of known hosts." },
	},
	scheduler: {
		poll_interval: { type: "number", default: 1, minimum: 0.01, description: "Seconds between polls for work that no event announced." },
		lease: {
			type: "number",
			default: 10,
			minimum: 0.1,
			description: "Seconds a node holds an execution without renewing; renewed at a third of it.",
		},
		clock_tolerance: {
			type: "number",
			default: 2,
			minimum: 0.1,
			description:
				"Maximum seconds by which the clock of a node may differ from that of a shared storage. If a clock differs more, the log, the health and the list of nodes report it, and the node takes over no work of other nodes.",
		},
	},
	audit: {
		keep_days: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days that entries of the audit record are kept; 0 keeps them.",
		},
		checkpoint_entries: {
			type: "integer",
			default: 100,
			minimum: 1,
			description: "Entries of this node after which the audit record is signed.",
		},
		checkpoint_interval: {
			type: "number",
			default: 600,
			minimum: 1,
			description: "Seconds after which it is signed where there are fewer.",
		},
		checkpoint_file: {
			type: "string",
			default: "",
			description:
				"File that signed checkpoints are appended to, as lines of JSON; best on another machine, such as a mounted volume. Empty: they are in the log and in the storage alone.",
		},
		checkpoint_key_path: {
			type: "string",
			default: "",
			description:
				"Ed25519 private key (PEM) that signs them; relative to the data directory, made when missing. Empty means `audit-key.pem` there.",
		},
		datastore_of_runs: {
			type: "string",
			choices: ["some", "all", "none"],
			default: "some",
			description:
				"Changes of datastore items by running actions that are recorded: `all`, `none`, or `some`. `some` records the first change of each item and user in an hour, at most sixty an hour on each node, and the number of further changes.",
		},
	},
	workers: {
		runners: {
			type: "list",
			default: [],
			description:
				"Runner types whose runs may be carried out by workers (`svc worker`): their actions take the parameter `svc_worker_labels`. Empty: none.",
		},
		lease: {
			type: "number",
			default: 15,
			minimum: 0.5,
			description:
				"Seconds for which a worker holds a run without telling of it. Less than 15 leaves processes that ignore TERM less than five seconds to end.",
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
			description: "Seconds between one kind of records that something was removed of and the next.",
		},
		action_executions_ttl: {
			type: "integer",
			default: 7,
			minimum: 0,
			maximum: 36_500,
			description: "Days that stored output is kept after its execution has ended; 0 keeps it. The records stay.",
		},
		action_executions_output_ttl: {
			type: "integer",
			default: 7,
			minimum: 0,
			maximum: 36_500,
			alias_of: "action_executions_ttl",
			description: "Another name of `action_executions_ttl`.",
		},
		purge_executions_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days that whole executions are kept after they have ended, with all they have started; 0 keeps them.",
		},
		trigger_instances_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days that trigger instances are kept which rules have been done with; 0 keeps them.",
		},
		rule_enforcements_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days that rule enforcements are kept; 0 keeps them.",
		},
		webhook_deliveries_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description:
				"Days that webhook deliveries are kept, at least as long as a webhook detects repeated deliveries; 0 keeps them forever.",
		},
		traces_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days that traces are kept that nothing belongs to any more; 0 keeps them.",
		},
		tokens_ttl: {
			type: "integer",
			default: 0,
			minimum: 0,
			maximum: 36_500,
			description: "Days that tokens are kept after they have expired; 0 removes them with the next collection.",
		},
		purge_inquiries: {
			type: "boolean",
			default: false,
			description: "Whether inquiries end as timed out once their `ttl` has passed.",
		},
	},
	workflow_engine: {
		gc_max_idle_sec: {
			type: "integer",
			default: 86_400,
			minimum: 0,
			maximum: 315_360_000,
			description:
				"Seconds after which the collector ends a workflow that runs although nothing of it is active: no child that has not ended, no step and no change of its status; more than any task without an action, and any pause between two steps, is delayed. 0 ends none.",
		},
	},
	action_sensor: {
		enable: {
			type: "boolean",
			default: true,
			description: "Whether executions that end make instances of the trigger `core.svc.generic.actiontrigger`.",
		},
		emit_when: {
			type: "list",
			default: ["succeeded", "failed", "timeout", "canceled", "abandoned"],
			description: "Final states that do.",
		},
	},
	content: {
		index_url: {
			type: "list",
			default: [],
			description:
				"Indexes of packs that can be installed by name: addresses of JSON files, or absolute paths of such files or of folders of packs. If several contain a name, the last one is used.",
		},
		public_host: {
			type: "string",
			default: "https://github.com",
			description: "Address that `org/repository` is short for a part of, where packs are installed.",
		},
		source_directories: {
			type: "list",
			default: [],
			description:
				"Directories, absolute, below which packs, archives and repositories of this machine may be installed from; empty: anywhere that the service can read.",
		},
		enable_common_libs: {
			type: "boolean",
			default: false,
			description: "Whether Python actions and sensors of a pack import modules of its folder `lib`, before those of `actions/lib`.",
		},
		credentials_file: {
			type: "string",
			default: "",
			description:
				"File with a line for each server that requires a user name and a password, such as `https://name:token@host`, for indexes, archives and repositories.",
		},
		ca_file: {
			type: "string",
			default: "",
			description: "File with certificates (PEM) of authorities to trust for these, in addition to those that Node.js trusts.",
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
			description: "Most bytes of one file of such a pack.",
		},
		max_files: {
			type: "integer",
			default: 20_000,
			minimum: 1,
			maximum: 1_000_000,
			description: "Most files and folders of such a pack.",
		},
		fetch_timeout: {
			type: "integer",
			default: 300,
			minimum: 1,
			maximum: 86_400,
			description: "Most seconds that such a pack may take to arrive.",
		},
		overrides: {
			type: "string",
			default: "",
			description:
				"Absolute path of a directory with files that override `enabled` of packs: `_global.yaml`, `<pack>.yaml`. Empty: `overrides` in each directory of `packs`.",
		},
	},
	rules: {
		pool_size: { type: "integer", default: 64, minimum: 1, description: "Most trigger instances that this node processes at once." },
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
		enable: { type: "boolean", default: true, description: "Whether this node fires timers." },
		local_timezone: {
			type: "string",
			default: "UTC",
			description: "Time zone of timers whose parameters name none, such as `Europe/Berlin`.",
		},
		misfire_grace: {
			type: "number",
			default: 60,
			minimum: 0,
			description:
				"Seconds after its due time during which a timer still fires if no node was running; later it waits for its next due time.",
		},
	},
	sensorcontainer: {
		enable: { type: "boolean", default: true, description: "Whether this node runs sensors." },
		max_restarts: {
			type: "integer",
			default: 2,
			minimum: -1,
			description: "How often a sensor that fails time after time is started again before it is given up; -1 means that it never is.",
		},
		restart_delay: {
			type: "number",
			default: 2.5,
			minimum: 0.01,
			description: "Seconds before a sensor that failed is started again; doubled with each failure in a row.",
		},
		max_restart_delay: { type: "number", default: 300, minimum: 0.01, description: "Most seconds that this wait grows to." },
		restart_reset: {
			type: "number",
			default: 10,
			minimum: 0,
			description: "Seconds a sensor must have run for its earlier failures to count no more.",
		},
		shutdown_grace: {
			type: "number",
			default: 5,
			minimum: 0,
			description: "Most seconds that switching a sensor off, or stopping the service, waits for it to end.",
		},
	},
	keyvalue: {
		enable_encryption: { type: "boolean", default: true, description: "Whether the datastore keeps secret values, encrypted." },
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
			description: "Maximum number of bytes of the values and descriptions of these items together, for each user.",
		},
	},
} as const satisfies Readonly<Record<string, Readonly<Record<string, OptionDefinition>>>>;

type Sections = typeof optionSections;
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
