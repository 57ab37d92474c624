import type { ParameterDefinitions } from "../../../core/contract/index.ts";
import { defineBuiltInPack } from "../../../core/feature.ts";

/** Runner type of the actions below; no other pack may use it. */
export const packJob = "pack-job";

const manifest = {
	ref: "packs",
	name: "packs",
	description: "Actions that install and manage packs.",
	version: "1.0.0",
	author: "svc",
};

const names = { type: "array", items: { type: "string", minLength: 1 }, maxItems: 100 } as const;
/** Matches addresses with a user name or password. They are refused, because many users may see the parameters of an execution. */
const credentialed = "^\\s*[hH][tT][tT][pP][sS]?:[\\\\/]*[^\\\\/?#]*@";
const sources = {
	...names,
	items: {
		...names.items,
		not: {
			pattern: credentialed,
			description:
				"a URL with a user name or password, which all users who may view the execution can see (put credentials into content.credentials_file)",
		},
	},
	description: "Sources: names in the index, URLs or directories, each optionally followed by =version, =branch, =tag or =commit.",
} as const;
const refs = { ...names, description: "Refs of packs." } as const;
const one = { type: "string", required: true, minLength: 1, description: "Ref of the pack." } as const;
const followedSource = {
	type: "string",
	required: true,
	minLength: 1,
	description: "The repository as shown by `svc pack followed`.",
} as const;
const force = { type: "boolean", default: false, description: "True to install despite conflicting versions and dependencies." } as const;
const skipDependencies = { type: "boolean", default: false, description: "True to skip the dependencies of the packs." } as const;

interface JobAction {
	readonly description: string;
	/** Default timeout in seconds. */
	readonly timeout: number;
	readonly parameters: ParameterDefinitions;
}

/** Actions of the pack, by name. */
const jobs = {
	install: {
		description: "Install packs and their dependencies.",
		timeout: 600,
		parameters: {
			packs: { ...sources, default: [] },
			force,
			skip_dependencies: skipDependencies,
			locked: {
				type: "array",
				items: { type: "object" },
				maxItems: 1_000,
				default: [],
				description: "Entries of a lock file. Installs exactly these, or nothing.",
			},
		},
	},
	uninstall: {
		description: "Remove packs and everything that belongs to them.",
		timeout: 300,
		parameters: {
			packs: { ...refs, required: true },
			force: { type: "boolean", default: false, description: "True to remove packs on which other packs depend." },
		},
	},
	upgrade: {
		description: "Upgrade installed packs from their sources.",
		timeout: 600,
		parameters: {
			packs: { ...refs, default: [] },
			all: { type: "boolean", default: false, description: "True to upgrade all installed packs." },
			force,
			skip_dependencies: skipDependencies,
		},
	},
	follow: {
		description: "Install the current commit of a synced repository.",
		timeout: 600,
		parameters: { source: { ...followedSource } },
	},
	look: {
		description: "Check a synced repository for new commits now.",
		timeout: 60,
		parameters: { source: { ...followedSource } },
	},
	rollback: {
		description: "Return to an earlier version of a pack.",
		timeout: 600,
		parameters: {
			pack: one,
			version: { type: "string", description: "Version, commit or content hash of a stored version. Default: the previous one." },
		},
	},
	get: { description: "Get an installed pack.", timeout: 60, parameters: { pack: one } },
	show: {
		description: "Get a pack from the index.",
		timeout: 120,
		parameters: { pack: { ...one, description: "Name of the pack in the index." } },
	},
	search: {
		description: "Search the index.",
		timeout: 120,
		parameters: { query: { type: "string", required: true, minLength: 1, description: "Text to search for." } },
	},
	load: {
		description: "Register packs again from their files.",
		timeout: 300,
		parameters: {
			packs: { ...refs, default: [], description: "Refs of packs. Default: all." },
			register: { type: "string", default: "all", description: "Kind of the registered content, or all." },
		},
	},
	unload: {
		description: "Remove the content of packs but keep the packs; packs.load registers it again.",
		timeout: 300,
		parameters: { packs: { ...refs, required: true } },
	},
	get_config: { description: "Get the configuration of a pack without its secrets.", timeout: 60, parameters: { pack: one } },
	setup_virtualenv: {
		description: "Prepare the environments of packs on this node, such as virtualenvs.",
		timeout: 600,
		parameters: { packs: { ...refs, required: true } },
	},
} as const satisfies Readonly<Record<string, JobAction>>;

/** Name of an action of the pack. */
export type JobName = keyof typeof jobs;

/** Built-in pack `packs`, whose actions install and manage packs. */
export const packsPack = defineBuiltInPack(
	manifest,
	Object.fromEntries(
		Object.entries<JobAction>(jobs).map(([name, { description, timeout, parameters }]) => [
			name,
			{ description, runner_type: packJob, parameters: { ...parameters, timeout: { default: timeout } } },
		]),
	),
);
