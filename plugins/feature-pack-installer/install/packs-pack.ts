import type { ParameterDefinitions } from "../../../core/contract/index.ts";
import { defineBuiltInPack } from "../../../core/feature.ts";

/** Runner type of the actions below; no other pack may use it. */
export const packJob = "pack-job";

const manifest = {
	ref: "packs",
	name: "packs",
	description: "Actions that install packs, and look after them.",
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
				"an address with a name or password, which everybody would see who sees the execution (content.credentials_file holds them)",
		},
	},
	description: "Where from: names in the index, addresses, directories; with =version, =branch, =tag or =commit behind them.",
} as const;
const refs = { ...names, description: "Refs of packs." } as const;
const one = { type: "string", required: true, minLength: 1, description: "Ref of the pack." } as const;
const followedSource = {
	type: "string",
	required: true,
	minLength: 1,
	description: "The repository, as `svc pack followed` tells it.",
} as const;
const force = { type: "boolean", default: false, description: "Also where versions and dependencies stand against it." } as const;
const skipDependencies = { type: "boolean", default: false, description: "Leave out what the packs say that they depend on." } as const;

interface JobAction {
	readonly description: string;
	/** Default timeout in seconds. */
	readonly timeout: number;
	readonly parameters: ParameterDefinitions;
}

/** Actions of the pack, by name. */
const jobs = {
	install: {
		description: "Install packs, and what they depend on.",
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
				description: "Entries of a lock file: exactly these are installed, or nothing.",
			},
		},
	},
	uninstall: {
		description: "Remove packs and all that belongs to them.",
		timeout: 300,
		parameters: {
			packs: { ...refs, required: true },
			force: { type: "boolean", default: false, description: "Also where other packs depend on one of them." },
		},
	},
	upgrade: {
		description: "Install what is newer than what is installed, from where it came from.",
		timeout: 600,
		parameters: {
			packs: { ...refs, default: [] },
			all: { type: "boolean", default: false, description: "All that are installed." },
			force,
			skip_dependencies: skipDependencies,
		},
	},
	follow: {
		description: "Install what a repository has that the service follows.",
		timeout: 600,
		parameters: { source: { ...followedSource } },
	},
	look: {
		description: "Look at once whether a repository that the service follows has something new.",
		timeout: 60,
		parameters: { source: { ...followedSource } },
	},
	rollback: {
		description: "Go back to what was installed before.",
		timeout: 600,
		parameters: {
			pack: one,
			version: { type: "string", description: "Version, commit or content hash among those kept. Default: the one before." },
		},
	},
	get: { description: "Look at an installed pack.", timeout: 60, parameters: { pack: one } },
	show: { description: "Look at a pack in the index.", timeout: 120, parameters: { pack: { ...one, description: "Name in the index." } } },
	search: {
		description: "Search the index.",
		timeout: 120,
		parameters: { query: { type: "string", required: true, minLength: 1, description: "A part of what is searched for." } },
	},
	load: {
		description: "Register packs anew, from their files.",
		timeout: 300,
		parameters: {
			packs: { ...refs, default: [], description: "Refs of packs. Default: all." },
			register: { type: "string", default: "all", description: "Kind of what is registered, or all." },
		},
	},
	unload: {
		description: "Remove what packs have brought, and keep the packs: packs.load brings it back.",
		timeout: 300,
		parameters: { packs: { ...refs, required: true } },
	},
	get_config: { description: "Look at the configuration of a pack, without its secrets.", timeout: 60, parameters: { pack: one } },
	setup_virtualenv: {
		description: "Make ready on this node what the packs need, such as a virtualenv.",
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
