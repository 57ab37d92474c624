import { SvcError } from "../contract/index.ts";
import { type StreamCredential, StreamWatch, type StreamWatchParts } from "./stream-authorization.ts";

/** A stream to a client that goes on while its signal has not aborted. */
export interface OpenStream {
	/** Aborts when the client has gone, the service stops, or whoever asked may no longer; then the reason is a `StreamEnded`. */
	readonly signal: AbortSignal;
	/** Must be called when the stream has ended; aborts the signal too. May be called twice. */
	done(): void;
}

export interface OpenStreamsOptions extends StreamWatchParts {
	/** Most streams of one user; 0: any number. */
	readonly limit: number;
}

/** Nobody knows when one of them ends. */
const retrySeconds = 5;

/** The streams being sent: each ends when its client goes, when whoever asked may no longer, or when the service stops. */
export class OpenStreams {
	readonly #controllers = new Set<AbortController>();
	readonly #users = new Map<string, number>();
	readonly #watch: StreamWatch;
	readonly #limit: number;
	#stopped = false;

	constructor({ limit, ...parts }: OpenStreamsOptions) {
		this.#limit = limit;
		this.#watch = new StreamWatch(parts);
	}

	/** How many are being sent. */
	get count(): number {
		return this.#controllers.size;
	}

	/**
	 * @param credential undefined where nobody needs one
	 * Throws `SVC_TOO_MANY` when the user holds as many as one may, with all credentials together.
	 */
	open(request: Request, username: string, credential: StreamCredential | undefined): OpenStream {
		this.#count(username);
		const controller = new AbortController();
		const forget = credential && this.#watch.add(credential, (reason) => controller.abort(reason));
		const done = () => {
			request.signal.removeEventListener("abort", done);
			if (this.#controllers.delete(controller)) {
				this.#discount(username);
				forget?.();
			}
			controller.abort();
		};
		this.#controllers.add(controller);
		request.signal.addEventListener("abort", done, { once: true });
		if (this.#stopped || request.signal.aborted) done();
		return { signal: controller.signal, done };
	}

	/** Look at once whether the streams that were opened with a token may go on. */
	async lookAt(token: string): Promise<void> {
		await this.#watch.look(token);
	}

	/** The same for all of them: for whoever has ended tokens without knowing which. */
	async lookAtAll(): Promise<void> {
		await this.#watch.look();
	}

	/** End all of them, and those still to come. */
	stop(): void {
		this.#stopped = true;
		this.#watch.stop();
		for (const controller of this.#controllers) controller.abort();
	}

	#count(username: string): void {
		const held = this.#users.get(username) ?? 0;
		if (this.#limit > 0 && held >= this.#limit) {
			throw new SvcError("SVC_TOO_MANY", `user "${username}" holds ${held} streams, and may hold ${this.#limit} (stream.max_per_user)`, {
				facts: { retry_after: retrySeconds },
			});
		}
		this.#users.set(username, held + 1);
	}

	#discount(username: string): void {
		const left = (this.#users.get(username) ?? 1) - 1;
		if (left === 0) this.#users.delete(username);
		else this.#users.set(username, left);
	}
}
