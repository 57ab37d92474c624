import { registerKind } from "../contract/entities/register-kind.ts";
import type {
	EntityKind,
	EntityKindDefinition,
	EntityMap,
	FeatureOptionSections,
	OptionDefinitions,
	OptionSections,
	Options,
	PluginMetadata,
	SvcConfig,
} from "../contract/index.ts";
import type { HttpFeature } from "../http/http-feature.ts";
import { type ResourceType, type ResourceTypeDefinition, registerPermissions } from "../kernel/basics/permission-types.ts";
import type { FeatureMap } from "../kernel/feature-list.ts";
import type { Kernel } from "../kernel/kernel.ts";
// The permissions of core are defined first, so that a feature cannot define them differently.
import "./access/built-in-permission-types.ts";
import type { ParsedPack } from "./packs/built-in-pack-exports.ts";
import type { FileReader } from "./packs/file-reader-exports.ts";

// The declarations of the package contain the permissions of core because of this export.
export type { Verbs as CorePermissionVerbs } from "./access/built-in-permission-types.ts";

declare module "../contract/config.ts" {
	interface Composition {
		/**
		 * Features beside those that every service has, such as `webUi()` and `audit()`. Default: none. The contract of features is not stable
		 * yet: the next version may change what a feature must provide.
		 */
		readonly features?: readonly FeaturePlugin[];
	}
}

/**
 * Features that other features may use, by name: those of core, and others whose modules declare them here by declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface NamedFeatures {}

/** Name of a feature that other features may use. */
export type FeatureName = keyof NamedFeatures & string;

/** A feature as a configuration lists it in `features`. It holds no resources until the service calls `create`. */
export interface FeaturePlugin<Api extends object = object> extends PluginMetadata {
	readonly kind: "feature";
	/** Unique among all features of a service, including those that every service has. */
	readonly name: string;
	/**
	 * Features that `create` receives: those of core too, such as `packs`. If one of them is missing, the service does not start, and the
	 * message says what to add. Default: none.
	 */
	readonly requires?: readonly string[];
	/**
	 * Kinds of entities that the feature stores, by name; their types are declared in `EntityMap`. Each storage creates the tables at its next
	 * start. A database that contains them also works for a service without the feature. Default: none.
	 */
	readonly kinds?: { readonly [K in EntityKind]?: EntityKindDefinition<EntityMap[K]> };
	/** Permissions that the feature defines, by resource type; their verbs are declared in `PermissionVerbs`. Default: none. */
	readonly permissions?: { readonly [R in ResourceType]?: ResourceTypeDefinition };
	/** Option sections of the feature, by name, whose values are in `kernel.options`; see `FeatureOptionSections`. Default: none. */
	readonly options?: OptionSections;
	/** Readers for files of packs that belong to the feature. Default: none. */
	readonly fileReaders?: readonly FileReader[];
	/**
	 * Returns the problems of a configuration that concern the feature, each as `path: problem`. Called at each start and by `svc plan`,
	 * before anything is created, and only if the service has found no problem. Default: none.
	 *
	 * @param options options of all sections, with environment and defaults applied
	 */
	findProblems?(config: SvcConfig, options: Options): readonly string[];
	/** Packs that the feature brings. They are registered at each start. Default: none. */
	readonly packs?: readonly ParsedPack[];
	/**
	 * Creates the feature. Called for each engine, and for each dry run of its packs.
	 *
	 * @param features the features of `requires`, by name
	 */
	create(kernel: Kernel, features: FeatureMap): HttpFeature<Api>;
}

/** A feature, and the features that it uses. */
export interface FeatureDefinition<Api extends object, Required extends FeatureName>
	extends Pick<FeaturePlugin, "name" | "kinds" | "permissions" | "fileReaders" | "packs" | "findProblems" | "contract"> {
	/** Features that `create` receives. Default: none. */
	readonly requires?: readonly Required[];
	/** Option sections of the feature, by name. The type of each is declared in `FeatureOptionSections`. Default: none. */
	readonly options?: { readonly [S in keyof FeatureOptionSections]?: FeatureOptionSections[S] & OptionDefinitions };
	create(kernel: Kernel, features: Pick<NamedFeatures, Required>): HttpFeature<Api>;
}

/**
 * Defines a feature for `features` of a configuration. Its kinds and permissions exist from then on, for the whole process. Throws if a
 * kind belongs to core, or if one of them is already defined differently.
 */
export function defineFeature<Api extends object, const Required extends FeatureName = never>(
	definition: FeatureDefinition<Api, Required>,
): FeaturePlugin<Api> {
	const plugin: FeaturePlugin<Api> = {
		...definition,
		kind: "feature",
		create: (kernel, features) => definition.create(kernel, features as never),
	};
	registerKindsAndPermissions([plugin]);
	return plugin;
}

/**
 * Defines the kinds and the permissions of plugins, for the whole process. Defining the same again changes nothing. Throws if a kind
 * belongs to core, or if one of them is already defined differently.
 */
export function registerKindsAndPermissions(plugins: readonly FeaturePlugin[]): void {
	for (const { kinds = {}, permissions = {} } of plugins) {
		for (const [kind, definition] of Object.entries(kinds)) registerKind(kind as EntityKind, definition as never);
		for (const [type, definition] of Object.entries(permissions)) registerPermissions(type as ResourceType, definition);
	}
}
