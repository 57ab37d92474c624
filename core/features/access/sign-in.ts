import { type AuthBackend, type Identity, type Logger, SvcError } from "../../contract/index.ts";
import { toIdentity } from "../../kernel/plugins/plugin-answers.ts";

/** Seconds after which a backend that does not answer counts as away. */
const defaultTimeout = 30;

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
	{ backend, logger, timeout = defaultTimeout }: SignInParts,
): Promise<Identity> {
	const who = { user: username, ...(remoteAddress !== undefined && { remote_address: remoteAddress }) };
	// Some directories take an empty password for an anonymous sign-in that succeeds: no backend gets to see one.
	const isAsked = backend !== undefined && username !== "" && password !== "";
	const identity = isAsked
		? await ask(backend, { username, password }, { signal, timeout }).catch((error: unknown) => {
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

interface Patience {
	readonly signal: AbortSignal;
	readonly timeout: number;
}

/** Does not rely on the backend to notice the signal. */
async function ask(
	backend: AuthBackend,
	credentials: { readonly username: string; readonly password: string },
	{ signal, timeout }: Patience,
): Promise<Identity | undefined> {
	signal.throwIfAborted();
	const controller = new AbortController();
	const late = new SvcError("SVC_UNAVAILABLE", `the auth backend has not answered within ${timeout} seconds`);
	const abort = () => controller.abort(signal.reason);
	const timer = setTimeout(() => controller.abort(late), timeout * 1_000);
	signal.addEventListener("abort", abort, { once: true });
	try {
		const aborted = new Promise<never>((_, reject) => {
			controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), { once: true });
		});
		return toIdentity(await Promise.race([backend.authenticate(credentials, { signal: controller.signal }), aborted]));
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", abort);
	}
}
