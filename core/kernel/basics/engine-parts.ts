import type { EventBus, Logger, NodeRole, Options, Runner, Storage } from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { EngineClock } from "./clock.ts";
import type { Authority } from "./principal.ts";

/**
 * Parts of an engine that many of its classes use. Each part is created once and described only here. A class lists the parts that it uses:
 * `Uses<"storage" | "clock">`.
 */
export interface EngineParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	/** Runners by runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly options: Options;
	/** Roles of this node: the parts of the service that it runs. */
	readonly roles: readonly NodeRole[];
	readonly nodeId: string;
	/** Translations of the names of other services, which content may use instead of the names of this service. */
	readonly dialects: Dialects;
	readonly authority: Authority;
	/** Encrypts and decrypts the secrets that are stored with executions and trigger instances. */
	readonly sealedSecrets: EncryptedSecrets;
	/** Returns true if executions of this runner type consist of child executions. */
	readonly isWorkflow: (runnerName: string) => boolean;
}

/** Selected parts of an engine, as the dependencies of a class or a function. */
export type Uses<K extends keyof EngineParts> = Pick<EngineParts, K>;
