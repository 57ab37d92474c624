import type { ExecutionEntity, Storage, WriteOperation } from "../../contract/index.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";

/**
 * Revokes the credentials of a run that has left this process without storing an end. Does nothing if another token is stored, because the
 * node that ended or continues the execution has replaced it. If the write fails, the error is logged.
 */
export async function revokeRunCredentials(
	{ id, token_hash }: ExecutionEntity,
	{ storage, logger }: { readonly storage: Storage; readonly logger: EngineDependencies["logger"] },
): Promise<void> {
	await storage
		.update("execution", id, { token_hash: null }, { token_hash })
		.catch((error: unknown) => logger.warn("credentials of an ended run were not revoked", { execution_id: id, error }));
}

/** Credentials with which a run may call the service. */
export interface IssuedCredentials {
	/**
	 * Hash by which the service recognises the secret. It is stored with the execution (`token_hash`) in the write that makes it `running`,
	 * until the run has ended.
	 */
	readonly token_hash: string;
	/** Environment variables for the processes of the run. */
	readonly environment: Readonly<Record<string, string>>;
	/** The token: a value in `environment` that must not appear anywhere else. */
	readonly secret: string;
}

/**
 * Issues and revokes the credentials with which runs call the service. Credentials are valid only while their hash is stored with the
 * execution.
 */
export interface RunCredentials {
	/** Issues credentials for an execution that is about to run. Returns undefined if the run gets none. */
	issue(execution: ExecutionEntity): IssuedCredentials | undefined;
	/** Returns the environment variables of credentials, given their secret. Only the secret is stored for a process that continues a run. */
	toEnvironment(secret: string): IssuedCredentials["environment"];
	/**
	 * Returns the operations that revoke everything stored for the run besides `token_hash`. They are stored with its end. Also called for
	 * executions without credentials.
	 */
	toRevocations(execution: ExecutionEntity): readonly WriteOperation[];
}

/** Default without a feature that provides credentials: runs get none. */
export const noRunCredentials: RunCredentials = { issue: () => undefined, toEnvironment: () => ({}), toRevocations: () => [] };
