import { isSvcError } from "../contract/index.ts";
import type { OfferedCredentials, Principal } from "../kernel/basics/principal.ts";

/** Milliseconds between looks at a credential. */
const interval = 4_000;
/** Milliseconds after which what could not be confirmed counts as lost: with the next look, a stream ends within 15 s in any case. */
const patience = 11_000;

/** Why a stream was ended that its client and its source would have gone on with. */
export class StreamEnded extends Error {}

/** What a stream was opened with. */
export interface StreamCredential {
	readonly offered: OfferedCredentials;
	readonly principal: Principal;
}

export interface StreamWatchParts {
	/** Who it is now. Throws `SVC_UNAUTHORIZED`. */
	authenticate(offered: OfferedCredentials): Promise<Principal>;
	/** Milliseconds that only go forward. */
	now(): number;
}

/** Streams that were opened with one credential by somebody with the same rights. */
interface Watched {
	readonly offered: OfferedCredentials;
	readonly rights: string;
	readonly ends: Set<(reason: StreamEnded) => void>;
	confirmedAt: number;
	isAsked: boolean;
}

/**
 * Ends streams whose credential, or the rights of whose user, are no longer what they were when they were opened: each credential is
 * looked at once, however many streams it has. What a stream shows depends on nothing else, so that whoever may go on opens another.
 */
export class StreamWatch {
	readonly #parts: StreamWatchParts;
	readonly #watched = new Map<string, Watched>();
	#timer: NodeJS.Timeout | undefined;

	constructor(parts: StreamWatchParts) {
		this.#parts = parts;
	}

	/** Call `end` when the stream must not go on. Returns what forgets it. */
	add({ offered, principal }: StreamCredential, end: (reason: StreamEnded) => void): () => void {
		const rights = toRights(principal);
		const key = JSON.stringify([offered.token, offered.apiKey, rights]);
		const watched = this.#watched.get(key) ?? { offered, rights, ends: new Set(), confirmedAt: this.#parts.now(), isAsked: false };
		watched.ends.add(end);
		this.#watched.set(key, watched);
		this.#timer ??= setInterval(() => void this.look(), interval).unref();
		return () => {
			watched.ends.delete(end);
			if (watched.ends.size === 0 && this.#watched.get(key) === watched) this.#watched.delete(key);
			if (this.#watched.size === 0) this.stop();
		};
	}

	/** Look at every credential, or at those of one token. Resolves when all have been looked at. */
	async look(token?: string): Promise<void> {
		const chosen = [...this.#watched.values()].filter(({ offered }) => token === undefined || offered.token === token);
		await Promise.all(chosen.map((watched) => this.#lookAt(watched)));
	}

	stop(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	async #lookAt(watched: Watched): Promise<void> {
		const now = this.#parts.now();
		if (now - watched.confirmedAt >= patience) return end(watched, "the credential could not be confirmed");
		if (watched.isAsked) return;
		watched.isAsked = true;
		try {
			const principal = await this.#parts.authenticate(watched.offered);
			if (toRights(principal) === watched.rights) watched.confirmedAt = now;
			else end(watched, "the permissions of the user have changed");
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) end(watched, "the credential is no longer valid");
		} finally {
			watched.isAsked = false;
		}
	}
}

function end({ ends }: Watched, reason: string): void {
	for (const one of [...ends]) one(new StreamEnded(reason));
}

/** All that decides what a principal may see. */
export function toRights({ username, isAdmin, roles, scopes }: Principal): string {
	return JSON.stringify([username, isAdmin, roles, scopes]);
}
