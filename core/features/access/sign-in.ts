import { type AuthBackend, type Identity, type Logger, SvcError } from "../../contract/index.ts";
import { toIdentity } from "../../kernel/basics/plugin-results.ts";
import { askPatiently } from "./ask-patiently.ts";

export interface SignInAttempt {
	readonly username: string;
	readonly password: string;
	readonly signal: AbortSignal;
	readonly remoteAddress: string | undefined;
}

export interface SignInParts {
	readonly backend: AuthBackend | undefined;
	readonly logger: Logger;
	/** Seconds. */
	readonly timeout?: number;
}

/** Who the backend says it is. `SVC_UNAUTHORIZED` when it refuses, `SVC_UNAVAILABLE` when it cannot tell; both leave a line in the log. */
export async function verifyIdentity(
	{ username, password, signal, remoteAddress }: SignInAttempt,
	{ backend, logger, timeout }: SignInParts,
): Promise<Identity> {
	const who = { user: username, ...(remoteAddress !== undefined && { remote_address: remoteAddress }) };
	// Some directories take an empty password for an anonymous sign-in that succeeds: no backend gets to see one.
	const isAsked = backend !== undefined && backend.takesPasswords !== false && username !== "" && password !== "";
	const ask = async () => {
		const answer = await askPatiently((own) => backend?.authenticate({ username, password }, { signal: own }), { signal, timeout });
		return toIdentity(answer);
	};
	const identity = isAsked
		? await ask().catch((error: unknown) => {
				if (!signal.aborted) logger.error("sign-in could not be verified", { ...who, error });
				throw error;
			})
		: undefined;
	if (identity === undefined) {
		logger.warn("token refused: invalid credentials", who);
		throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - invalid or missing credentials");
	}
	return identity;
}
