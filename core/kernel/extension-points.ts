import { type Options, type Runner, type Storage, SvcError } from "../contract/index.ts";
import { type Authority, unrestrictedAuthority } from "./basics/principal.ts";
import { type EventHandler, noEventHandler } from "./events/event-handler.ts";
import type { TriggerTypeDefinition } from "./events/trigger-type-registry.ts";
import { noPackContent, type PackContentSource } from "./executions/action-catalog.ts";
import type { CompletionEffectsHook } from "./executions/completion-effects.ts";
import type { Feature } from "./feature.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import type { WriteInterceptor } from "./plugins/engine-storage.ts";
import { noRunCredentials, type RunCredentials } from "./runs/run-credentials.ts";
import { type ExecutionQueues, noExecutionQueues } from "./scheduling/execution-queues-api.ts";
import {
	type DatastoreSource,
	noDatastoreSource,
	noPackConfiguration,
	type PackConfigurationSource,
	type TemplateSources,
} from "./submission/parameter-rendering.ts";

/**
 * Dry run of an engine start: runs the same code as a start, but writes only to `storage` and starts nothing. `changes` replace
 * dependencies of the engine. A dry run cannot be started within a dry run.
 */
export type DryRun = (storage: Storage, changes: Partial<EngineDependencies>) => Promise<void>;

/** Dry run of an engine that is itself a dry run: always throws. */
export const noNestedDryRun: DryRun = async () => {
	throw new Error("a draft is not drafted again");
};

/** Members of `Feature` that at most one feature may provide. */
type ExclusiveMember =
	| "executionQueues"
	| "eventHandler"
	| "runCredentials"
	| "authority"
	| "datastore"
	| "packConfiguration"
	| "packContent"
	| "writeInterceptor";

/**
 * Extension points of the kernel. Features are created from the kernel, so the kernel exists before them. So the kernel must read an
 * extension here whenever it needs it, and must not keep it.
 */
export class ExtensionPoints {
	#features: readonly Feature[] = [];
	#completionHooks: readonly CompletionEffectsHook[] = [];
	#triggerTypes: readonly TriggerTypeDefinition[] = [];
	#exclusive: Pick<Feature, ExclusiveMember> = {};
	#draft: DryRun = noNestedDryRun;
	readonly #runners: Map<string, Runner>;
	/** Names of the runner types that features provide. */
	readonly #builtInRunners = new Set<string>();

	/** @param runners runners of the configuration by name; those of features are added to this map */
	constructor(runners: Map<string, Runner>) {
		this.#runners = runners;
	}

	/**
	 * Sets the features. Must be called exactly once, before anything is started. Throws `SVC_CONFIG` if two features provide a member that at
	 * most one may provide, or if a feature provides a runner type that exists.
	 */
	setFeatures(features: readonly Feature[], dryRun: DryRun): void {
		this.#features = features;
		this.#draft = dryRun;
		this.#completionHooks = features.flatMap(({ onCompletion }) => onCompletion ?? []);
		this.#triggerTypes = features.flatMap(({ triggerTypes }) => triggerTypes ?? []);
		this.#exclusive = {
			...this.#findExclusive("executionQueues"),
			...this.#findExclusive("eventHandler"),
			...this.#findExclusive("runCredentials"),
			...this.#findExclusive("authority"),
			...this.#findExclusive("datastore"),
			...this.#findExclusive("packConfiguration"),
			...this.#findExclusive("packContent"),
			...this.#findExclusive("writeInterceptor"),
		};
		// Wrap only the runners of the configuration. Runners that features provide always run on this node, so they are added afterwards.
		for (const feature of features)
			for (const [name, runner] of this.#runners) this.#runners.set(name, feature.wrapRunner?.(name, runner) ?? runner);
		for (const { runners } of features) for (const [name, runner] of runners ?? []) this.#addRunner(name, runner);
	}

	#addRunner(name: string, runner: Runner): void {
		if (this.#runners.has(name)) throw new SvcError("SVC_CONFIG", `runners: a feature of the service provides "${name}" already`);
		this.#runners.set(name, runner);
		this.#builtInRunners.add(name);
	}

	/**
	 * Returns true if a feature provides the runner type. Only the service's own packs may use such a type, because it may do more than other
	 * runner types.
	 */
	isBuiltInRunner(name: string): boolean {
		return this.#builtInRunners.has(name);
	}

	/** Returns the member with this name of the feature that provides it. Throws `SVC_CONFIG` if two features provide it. */
	#findExclusive<K extends ExclusiveMember>(name: K): Pick<Feature, ExclusiveMember> {
		const [provider, otherProvider] = this.#features.filter((feature) => feature[name] !== undefined);
		if (otherProvider !== undefined) throw new SvcError("SVC_CONFIG", `features: only one feature may provide "${name}"`);
		return provider === undefined ? {} : { [name]: provider[name] };
	}

	/** Dry run with the features of this engine. */
	get draft(): DryRun {
		return this.#draft;
	}

	get features(): readonly Feature[] {
		return this.#features;
	}

	get completionHooks(): readonly CompletionEffectsHook[] {
		return this.#completionHooks;
	}

	get triggerTypes(): readonly TriggerTypeDefinition[] {
		return this.#triggerTypes;
	}

	get executionQueues(): ExecutionQueues {
		return this.#exclusive.executionQueues ?? noExecutionQueues;
	}

	/** Number of runs of this node that take no slot, because their work is done elsewhere. */
	get runsWithoutSlot(): number {
		return this.#features.reduce((sum, feature) => sum + (feature.runsWithoutSlot?.() ?? 0), 0);
	}

	get eventHandler(): EventHandler {
		return this.#exclusive.eventHandler ?? noEventHandler;
	}

	get runCredentials(): RunCredentials {
		return this.#exclusive.runCredentials ?? noRunCredentials;
	}

	get authority(): Authority {
		return this.#exclusive.authority ?? unrestrictedAuthority;
	}

	get datastore(): DatastoreSource {
		return this.#exclusive.datastore ?? noDatastoreSource;
	}

	get packConfiguration(): PackConfigurationSource {
		return this.#exclusive.packConfiguration ?? noPackConfiguration;
	}

	get packContent(): PackContentSource {
		return this.#exclusive.packContent ?? noPackContent;
	}

	get writeInterceptor(): WriteInterceptor | undefined {
		return this.#exclusive.writeInterceptor;
	}
}

/** Returns the sources of values for templates. They are looked up at each access, because features are created after the kernel. */
export function createTemplateSources(extensions: ExtensionPoints, authority: Authority, options: Options): TemplateSources {
	return {
		get items() {
			return extensions.datastore;
		},
		get configuration() {
			return extensions.packConfiguration;
		},
		systemUser: options.system_user.user,
		isAdministrator: authority.isAdministrator,
	};
}

/** Returns an authority that passes each call on to that of a feature, which is created after the kernel. */
export function createLateBoundAuthority(extensions: ExtensionPoints): Authority {
	return {
		principalOf: (username) => extensions.authority.principalOf(username),
		isAdministrator: (username) => extensions.authority.isAdministrator(username),
		assertMayRun: (principal, actionRef) => extensions.authority.assertMayRun(principal, actionRef),
	};
}

/** Returns run credentials that pass each call on to those of a feature, which is created after the kernel. */
export function createLateBoundCredentials(extensions: ExtensionPoints): RunCredentials {
	return {
		issue: (execution) => extensions.runCredentials.issue(execution),
		toEnvironment: (secret) => extensions.runCredentials.toEnvironment(secret),
		toRevocations: (execution) => extensions.runCredentials.toRevocations(execution),
	};
}
