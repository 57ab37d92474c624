import { type ClientOptions, type CoreClient, createApi, createCoreClient } from "../../core/features/clients.ts";
import { type AliasClient, createAliasClient } from "../feature-aliases/client.ts";
import { type AuditClient, createAuditClient } from "../feature-audit/client.ts";
import { createPackInstallClient, type PackInstallClient } from "../feature-pack-installer/client.ts";
import { createPackIndexClient, type PackIndexClient } from "../feature-pack-installer/index-client.ts";
import { createWorkerClient, type WorkerClient } from "../feature-workers/client.ts";

export * from "../../core/features/clients.ts";
export type * from "../feature-aliases/client.ts";
export type { AliasFormat } from "../feature-aliases/entities.ts";
export type * from "../feature-audit/client.ts";
export type * from "../feature-pack-installer/client.ts";
export type * from "../feature-pack-installer/index-client.ts";
export type { SingleWorkerRecord, WorkerClient, WorkerRecord } from "../feature-workers/client.ts";

/**
 * Typed client for the HTTP API. Every method throws `SvcError`, with `SVC_UNAVAILABLE` if the service cannot be reached. Methods for a
 * feature that the service does not have throw `SVC_NOT_FOUND`.
 */
export interface Client extends CoreClient {
	readonly aliases: AliasClient;
	readonly audit: AuditClient;
	readonly packIndex: PackIndexClient;
	readonly packInstalls: PackInstallClient;
	readonly workers: WorkerClient;
}

/** Creates a client for the service at an address. */
export function createClient(options: ClientOptions = {}): Client {
	const api = createApi(options);
	return {
		...createCoreClient(api),
		aliases: createAliasClient(api),
		audit: createAuditClient(api),
		packIndex: createPackIndexClient(api),
		packInstalls: createPackInstallClient(api),
		workers: createWorkerClient(api),
	};
}
