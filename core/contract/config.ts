import type { AuthBackendPlugin } from "./auth-backend.ts";
import type { DialectPlugin } from "./dialect.ts";
import type { EventBusPlugin } from "./event-bus.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { OptionsInput } from "./options-input.ts";
import type { RunnerPlugin } from "./runner.ts";
import type { SensorPlugin } from "./sensor.ts";
import type { StoragePlugin } from "./storage.ts";
import type { TelemetryPlugin } from "./telemetry.ts";

/** What tells the service that something was pushed: parameters of a webhook, as a rule on `core.svc.webhook` has them. */
export interface GitPackWebhook {
	/** Behind `/v1/webhooks/`. Several packs may have the same. */
	readonly url: string;
	/** How the sender is known: nobody else has the service look. */
	readonly signature: {
		/** `github`, `gitlab`, `standard`, `hmac`, … */
		readonly scheme: string;
		/** Names of system items of the datastore with the secret, and with the one that comes next. */
		readonly secret_keys: readonly string[];
		/** As of a rule: `tolerance`, and for `hmac` `header`, `algorithm`, `encoding` and `prefix`. */
		readonly [setting: string]: JsonValue;
	};
	/** How repetitions are known. Default: as the scheme has it, within a day. */
	readonly deduplicate?: JsonObject;
	/** Whether deliveries are kept with their verdict. Default false. */
	readonly ledger?: boolean;
}

/** A pack in a git repository that the service follows: what is new there is installed, and what cannot be used changes nothing. */
export interface GitPack {
	/** Address of the repository, as `svc pack install` takes it, without name and password. */
	readonly git: string;
	/** Branch, tag or range of versions. Default: what is checked out there by itself. */
	readonly revision?: string;
	/** Folder of the repository that holds the pack. Default: the repository itself. */
	readonly subdirectory?: string;
	/** Seconds between two looks, at least 5. Default 60. */
	readonly interval?: number;
	/** The service looks at once when something signed comes there. Default: it looks by `interval` only. */
	readonly webhook?: GitPackWebhook;
}

/** The plugins of a service, and where its files are. */
export interface Composition<BackendName extends string = string> {
	/** Where everything is kept. */
	readonly storage: StoragePlugin;
	/** Wake-ups and live events between the parts, and nodes, of the service. */
	readonly event_bus: EventBusPlugin;
	/** Runner types that actions may use. */
	readonly runners: readonly RunnerPlugin[];
	/** Sources of events; each runs on one node. Default none. */
	readonly sensors?: readonly SensorPlugin[];
	/** What content of packs may say that was written for other services. Default none. */
	readonly dialects?: readonly DialectPlugin[];
	/** What is told how the service does: metrics, traces. Default none. */
	readonly telemetry?: readonly TelemetryPlugin[];
	/** Backends that `auth.backend` may name, so that the choice can be data: name to the function that makes the plugin. */
	readonly auth_backends?: Readonly<Record<BackendName, (kwargs: never) => AuthBackendPlugin>>;
	/**
	 * Pack directories, each with a `pack.yaml`, or directories of such directories, relative to the configuration file; and packs in git that
	 * the service follows. Default none.
	 */
	readonly packs?: readonly (string | GitPack)[];
	/** Directory of pack configurations, `<pack>.yaml` each. Relative to the configuration file. Default `configs` in the data directory. */
	readonly configs?: string;
	/** Data directory, relative to the configuration file. Default `./data`; `SVC_DATA_DIR` wins. */
	readonly data_dir?: string;
}

/** Roles and who has them. Grants only add; the roles `admin`, `system_admin` and `observer` always exist. */
export interface RoleConfig {
	readonly roles?: readonly {
		readonly name: string;
		readonly description?: string;
		/** Permission types, on the resource named (`action:core:local`, `pack:core`) or, without one, globally. */
		readonly permission_grants?: readonly { readonly resource_uid?: string; readonly permission_types: readonly string[] }[];
	}[];
	readonly assignments?: readonly { readonly username: string; readonly roles: readonly string[]; readonly description?: string }[];
	/** Roles for everybody in a group of the auth backend, taken over at each sign-in. */
	readonly mappings?: readonly { readonly group: string; readonly roles: readonly string[]; readonly description?: string }[];
}

/** Which backend verifies passwords. */
export interface AuthBackendChoice<BackendName extends string = string> {
	/** A plugin, or a name of `auth_backends`. Default: the one called `flat_file`, where there is one. `SVC_AUTH_BACKEND` wins. */
	readonly backend?: AuthBackendPlugin | BackendName;
	/** Arguments for a backend given by name: an object or its JSON text. `SVC_AUTH_BACKEND_KWARGS` wins. */
	readonly backend_kwargs?: string | Readonly<Record<string, unknown>>;
}

/** What `svc.config.ts` exports. Unknown sections and options are refused at start with path and hint. */
export type SvcConfig<BackendName extends string = string> = Composition<BackendName> &
	Omit<OptionsInput, "auth" | "rbac"> & {
		readonly auth?: NonNullable<OptionsInput["auth"]> & AuthBackendChoice<NoInfer<BackendName>>;
		readonly rbac?: NonNullable<OptionsInput["rbac"]> & RoleConfig;
	};

/** Types a configuration, in which `auth.backend` names one of `auth_backends`. Returns it unchanged. */
export function defineConfig<BackendName extends string = never>(config: SvcConfig<BackendName>): SvcConfig {
	return config;
}
