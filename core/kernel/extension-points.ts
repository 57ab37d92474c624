import { type Runner, type Storage, SvcError } from "../contract/index.ts";
import { type Authority, noAuthority } from "./basics/principal.ts";
import { noReactor, type Reactor } from "./events/event-handler.ts";
import type { TriggerTypeDefinition } from "./events/trigger-type-registry.ts";
import { type ContentSource, noContent } from "./executions/action-catalog.ts";
import type { Follow } from "./executions/completion-effects.ts";
import type { Feature } from "./feature.ts";
import type { Witness } from "./plugins/audited-storage.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import { type Granting, noGranting } from "./runs/run-credentials.ts";
import { noQueues, type Queues } from "./scheduling/execution-queues.ts";
import { type ConfigurationSource, type ItemSource, noConfiguration, noItemSource } from "./submission/parameter-rendering.ts";

/**
 * Make a storage say what a start would make it say with other dependencies, by the same code; nothing is started, and nothing else is
 * written. `changes` replace what the engine was made from. Within a draft there is no other one.
 */
export type Draft = (storage: Storage, changes: Partial<EngineDependencies>) => Promise<void>;

/** Within a draft. */
export const noDraft: Draft = async () => {
	throw new Error("a draft is not drafted again");
};

/** What only one feature may have. */
type Single = "queues" | "reactor" | "granting" | "authority" | "items" | "configuration" | "content" | "witness";

/**
 * Where features come into the kernel. The kernel is there before them, as they are made of it: whatever it asks of them it asks here,
 * at the time it needs it.
 */
export class Seams {
	#features: readonly Feature[] = [];
	#follows: readonly Follow[] = [];
	#triggerTypes: readonly TriggerTypeDefinition[] = [];
	#single: Pick<Feature, Single> = {};
	#draft: Draft = noDraft;
	readonly #runners: Map<string, Runner>;
	readonly #own = new Set<string>();

	/** @param runners by name; those of features are added */
	constructor(runners: Map<string, Runner>) {
		this.#runners = runners;
	}

	/** Once, before anything is started. `SVC_CONFIG` where two features have what only one may have. */
	take(features: readonly Feature[], draft: Draft): void {
		this.#features = features;
		this.#draft = draft;
		this.#follows = features.flatMap(({ follow }) => follow ?? []);
		this.#triggerTypes = features.flatMap(({ triggerTypes }) => triggerTypes ?? []);
		this.#single = {
			...this.#only("queues"),
			...this.#only("reactor"),
			...this.#only("granting"),
			...this.#only("authority"),
			...this.#only("items"),
			...this.#only("configuration"),
			...this.#only("content"),
			...this.#only("witness"),
		};
		// Those of the configuration: what a feature brings runs here.
		for (const feature of features)
			for (const [name, runner] of this.#runners) this.#runners.set(name, feature.place?.(name, runner) ?? runner);
		for (const { runners } of features) for (const [name, runner] of runners ?? []) this.#addRunner(name, runner);
	}

	#addRunner(name: string, runner: Runner): void {
		if (this.#runners.has(name)) throw new SvcError("SVC_CONFIG", `runners: "${name}" is brought by the service itself`);
		this.#runners.set(name, runner);
		this.#own.add(name);
	}

	/** Whether a runner type is one of the service's own, for actions of its own packs only: it may do what others may not. */
	isOwnRunner(name: string): boolean {
		return this.#own.has(name);
	}

	#only<K extends Single>(name: K): Pick<Feature, Single> {
		const [one, other] = this.#features.filter((feature) => feature[name] !== undefined);
		if (other !== undefined) throw new SvcError("SVC_CONFIG", `features: only one may have "${name}"`);
		return one === undefined ? {} : { [name]: one[name] };
	}

	/** As of the engine; see `Kernel`. */
	get draft(): Draft {
		return this.#draft;
	}

	get features(): readonly Feature[] {
		return this.#features;
	}

	get follows(): readonly Follow[] {
		return this.#follows;
	}

	get triggerTypes(): readonly TriggerTypeDefinition[] {
		return this.#triggerTypes;
	}

	get queues(): Queues {
		return this.#single.queues ?? noQueues;
	}

	/** How many runs of this node take no place. */
	get resting(): number {
		return this.#features.reduce((sum, feature) => sum + (feature.resting?.() ?? 0), 0);
	}

	get reactor(): Reactor {
		return this.#single.reactor ?? noReactor;
	}

	get granting(): Granting {
		return this.#single.granting ?? noGranting;
	}

	get authority(): Authority {
		return this.#single.authority ?? noAuthority;
	}

	get items(): ItemSource {
		return this.#single.items ?? noItemSource;
	}

	get configuration(): ConfigurationSource {
		return this.#single.configuration ?? noConfiguration;
	}

	get content(): ContentSource {
		return this.#single.content ?? noContent;
	}

	get witness(): Witness | undefined {
		return this.#single.witness;
	}
}
