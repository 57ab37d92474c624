import { SvcError } from "../contract/index.ts";
import { StreamAuthorization, type StreamAuthorizationOptions, type StreamCaller } from "./stream-authorization.ts";

/** A stream to a client. It continues until its signal aborts. */
export interface OpenStream {
	/**
	 * Aborts when the client has disconnected, the service stops, or the caller is no longer authorized. In the last case the
	 * abort reason is an error that names the cause.
	 */
	readonly signal: AbortSignal;
	/**
	 * Must be called when the stream has ended, otherwise it counts as open for ever. Also aborts the signal. May be called more than
	 * once.
	 */
	done(): void;
}

export interface OpenStreamsOptions extends StreamAuthorizationOptions {
	/** Maximum number of open streams of one user; 0 for no limit. */
	readonly maxStreamsPerUser: number;
}

/** Value of `Retry-After` for a user with too many streams. It is a guess, because the end of a stream cannot be predicted. */
const retryAfterSeconds = 5;

/** The open streams. Each ends when its client disconnects, when its caller is no longer authorized, or when the service stops. */
export class OpenStreams {
	readonly #controllers = new Set<AbortController>();
	/** Number of open streams by username. */
	readonly #userCounts = new Map<string, number>();
	readonly #authorization: StreamAuthorization;
	readonly #limit: number;
	#isStopped = false;

	constructor({ maxStreamsPerUser, ...parts }: OpenStreamsOptions) {
		this.#limit = maxStreamsPerUser;
		this.#authorization = new StreamAuthorization(parts);
	}

	get count(): number {
		return this.#controllers.size;
	}

	/**
	 * Opens a stream. Throws `SVC_TOO_MANY` if the user has reached the limit with all credentials together.
	 *
	 * @param credential checked periodically; undefined if the service needs no credentials
	 */
	open(request: Request, username: string, credential: StreamCaller | undefined): OpenStream {
		this.#count(username);
		const controller = new AbortController();
		const removeCredential = credential && this.#authorization.add(credential, (reason) => controller.abort(reason));
		const done = () => {
			request.signal.removeEventListener("abort", done);
			if (this.#controllers.delete(controller)) {
				this.#discount(username);
				removeCredential?.();
			}
			controller.abort();
		};
		this.#controllers.add(controller);
		request.signal.addEventListener("abort", done, { once: true });
		if (this.#isStopped || request.signal.aborted) done();
		return { signal: controller.signal, done };
	}

	/** Checks at once whether the streams that were opened with a token are still authorized. Called after the token has been revoked. */
	async checkToken(token: string): Promise<void> {
		await this.#authorization.check(token);
	}

	/**
	 * Checks at once whether all streams are still authorized. Called when tokens have been revoked and the caller cannot determine which
	 * ones.
	 */
	async checkAll(): Promise<void> {
		await this.#authorization.check();
	}

	/** Ends all streams, and from now on every stream when it is opened. */
	stop(): void {
		this.#isStopped = true;
		this.#authorization.stop();
		for (const controller of this.#controllers) controller.abort();
	}

	#count(username: string): void {
		const openCount = this.#userCounts.get(username) ?? 0;
		if (this.#limit > 0 && openCount >= this.#limit) {
			throw new SvcError(
				"SVC_TOO_MANY",
				`user "${username}" has ${openCount} open streams; at most ${this.#limit} are allowed (stream.max_per_user)`,
				{
					facts: { retry_after: retryAfterSeconds },
				},
			);
		}
		this.#userCounts.set(username, openCount + 1);
	}

	#discount(username: string): void {
		const openCount = (this.#userCounts.get(username) ?? 1) - 1;
		if (openCount === 0) this.#userCounts.delete(username);
		else this.#userCounts.set(username, openCount);
	}
}
