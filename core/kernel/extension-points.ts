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
	throw new Error("a dry run cannot contain another dry run");
};

/** Members of `Feature` that at most one feature may provide. */
const exclusiveMembers = [
	"executionQueues",
	"eventHandler",
	"runCredentials",
	"authority",
	"datastore",
	"packConfiguration",
	"packContent",
	"writeInterceptor",
] as const satisfies readonly (keyof Feature)[];

/**
 * Extension points of the kernel. Features are created from the kernel, so the kernel exists before them. So the kernel must read an
 * extension here whenever it needs it, and must not keep it.
 */
export class ExtensionPoints {
	// `setFeatures` sets these members.
	readonly features: readonly Feature[] = [];
	/** Dry run with the features of this engine. */
	readonly draft: DryRun = noNestedDryRun;
	readonly completionHooks: readonly CompletionEffectsHook[] = [];
	readonly triggerTypes: readonly TriggerTypeDefinition[] = [];
	readonly executionQueues: ExecutionQueues = noExecutionQueues;
	readonly eventHandler: EventHandler = noEventHandler;
	readonly runCredentials: RunCredentials = noRunCredentials;
	readonly authority: Authority = unrestrictedAuthority;
	readonly datastore: DatastoreSource = noDatastoreSource;
	readonly packConfiguration: PackConfigurationSource = noPackConfiguration;
	readonly packContent: PackContentSource = noPackContent;
	readonly writeInterceptor: WriteInterceptor | undefined;
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
		Object.assign(this, {
			features,
			draft: dryRun,
			completionHooks: features.flatMap(({ onCompletion }) => onCompletion ?? []),
			triggerTypes: features.flatMap(({ triggerTypes }) => triggerTypes ?? []),
			...findExclusiveMembers(features),
		} satisfies Partial<ExtensionPoints>);
		// Wrap only the runners of the configuration. Runners that features provide always run on this node, so they are added afterwards.
		for (const feature of features)
			for (const [name, runner] of this.#runners) this.#runners.set(name, feature.wrapRunner?.(name, runner) ?? runner);
		for (const { runners } of features) for (const [name, runner] of runners ?? []) this.#addRunner(name, runner);
	}

	#addRunner(name: string, runner: Runner): void {
		if (this.#runners.has(name)) throw new SvcError("SVC_CONFIG", `runners: a feature already provides the runner type "${name}"`);
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

	/** Number of runs of this node that take no slot, because their work is done elsewhere. */
	get runsWithoutSlot(): number {
		return this.features.reduce((sum, feature) => sum + (feature.runsWithoutSlot?.() ?? 0), 0);
	}
}

/** Returns the exclusive members, each of the feature that provides it. Throws `SVC_CONFIG` if two features provide the same member. */
function findExclusiveMembers(features: readonly Feature[]): Pick<Feature, (typeof exclusiveMembers)[number]> {
	const members = exclusiveMembers.map((name) => {
		const [provider, otherProvider] = features.filter((feature) => feature[name] !== undefined);
		if (otherProvider !== undefined) throw new SvcError("SVC_CONFIG", `features: at most one feature may provide "${name}"`);
		return provider && { [name]: provider[name] };
	});
	return Object.assign({}, ...members);
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
