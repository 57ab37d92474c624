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
 * Dry run of a start: writes to `storage` what a start with changed dependencies would write, by the same code. Starts nothing, and writes
 * nowhere else. `changes` replace the dependencies of the engine. A dry run cannot be started within a dry run.
 */
export type Draft = (storage: Storage, changes: Partial<EngineDependencies>) => Promise<void>;

/** Dry run that an engine has within a dry run: always throws. */
export const noDraft: Draft = async () => {
	throw new Error("a draft is not drafted again");
};

/** Members of `Feature` that at most one feature may provide. */
type ExclusiveMember = "queues" | "reactor" | "granting" | "authority" | "items" | "configuration" | "content" | "witness";

/**
 * Extension points of the kernel. Features are created from the kernel, so the kernel exists before them. It therefore reads each extension
 * here when it needs it, and must not keep it.
 */
export class Seams {
	#features: readonly Feature[] = [];
	#completionHooks: readonly Follow[] = [];
	#triggerTypes: readonly TriggerTypeDefinition[] = [];
	#exclusive: Pick<Feature, ExclusiveMember> = {};
	#draft: Draft = noDraft;
	readonly #runners: Map<string, Runner>;
	/** Names of the runner types that features provide. */
	readonly #builtInRunners = new Set<string>();

	/** @param runners runners of the configuration by name; those of features are added to this map */
	constructor(runners: Map<string, Runner>) {
		this.#runners = runners;
	}

	/**
	 * Sets the features; must be called once, before anything is started. Throws `SVC_CONFIG` if two features provide a member that at most
	 * one may provide, or if a feature provides a runner type that exists.
	 */
	take(features: readonly Feature[], draft: Draft): void {
		this.#features = features;
		this.#draft = draft;
		this.#completionHooks = features.flatMap(({ follow }) => follow ?? []);
		this.#triggerTypes = features.flatMap(({ triggerTypes }) => triggerTypes ?? []);
		this.#exclusive = {
			...this.#findExclusive("queues"),
			...this.#findExclusive("reactor"),
			...this.#findExclusive("granting"),
			...this.#findExclusive("authority"),
			...this.#findExclusive("items"),
			...this.#findExclusive("configuration"),
			...this.#findExclusive("content"),
			...this.#findExclusive("witness"),
		};
		// Only the runners of the configuration are wrapped. Those that features provide are added afterwards, since they run on this node.
		for (const feature of features)
			for (const [name, runner] of this.#runners) this.#runners.set(name, feature.place?.(name, runner) ?? runner);
		for (const { runners } of features) for (const [name, runner] of runners ?? []) this.#addRunner(name, runner);
	}

	#addRunner(name: string, runner: Runner): void {
		if (this.#runners.has(name)) throw new SvcError("SVC_CONFIG", `runners: "${name}" is brought by the service itself`);
		this.#runners.set(name, runner);
		this.#builtInRunners.add(name);
	}

	/** Returns true if a feature provides the runner type. Only the service's own packs may use it, because it may do more than others. */
	isOwnRunner(name: string): boolean {
		return this.#builtInRunners.has(name);
	}

	/** Returns the member of the feature that provides it. Throws `SVC_CONFIG` if two do. */
	#findExclusive<K extends ExclusiveMember>(name: K): Pick<Feature, ExclusiveMember> {
		const [provider, otherProvider] = this.#features.filter((feature) => feature[name] !== undefined);
		if (otherProvider !== undefined) throw new SvcError("SVC_CONFIG", `features: only one may have "${name}"`);
		return provider === undefined ? {} : { [name]: provider[name] };
	}

	/** Dry run with the features of this engine. */
	get draft(): Draft {
		return this.#draft;
	}

	get features(): readonly Feature[] {
		return this.#features;
	}

	get follows(): readonly Follow[] {
		return this.#completionHooks;
	}

	get triggerTypes(): readonly TriggerTypeDefinition[] {
		return this.#triggerTypes;
	}

	get queues(): Queues {
		return this.#exclusive.queues ?? noQueues;
	}

	/** Number of runs of this node that take no slot, because they wait for something elsewhere. */
	get resting(): number {
		return this.#features.reduce((sum, feature) => sum + (feature.resting?.() ?? 0), 0);
	}

	get reactor(): Reactor {
		return this.#exclusive.reactor ?? noReactor;
	}

	get granting(): Granting {
		return this.#exclusive.granting ?? noGranting;
	}

	get authority(): Authority {
		return this.#exclusive.authority ?? noAuthority;
	}

	get items(): ItemSource {
		return this.#exclusive.items ?? noItemSource;
	}

	get configuration(): ConfigurationSource {
		return this.#exclusive.configuration ?? noConfiguration;
	}

	get content(): ContentSource {
		return this.#exclusive.content ?? noContent;
	}

	get witness(): Witness | undefined {
		return this.#exclusive.witness;
	}
}
