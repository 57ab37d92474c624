import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { isSvcError } from "../../contract/errors.ts";
import type { LiveListener } from "./live-events.ts";
import { live, session } from "./service.ts";

/** Reads what is shown. */
export type Load<T> = (signal: AbortSignal) => Promise<T>;

/** Something that is read from the service and shown, and read again when it may have changed. */
export class Resource<T> {
	readonly #load: Load<T>;
	readonly #value = signal<T | undefined>(undefined);
	readonly #error = signal<Error | undefined>(undefined);
	readonly #isLoading = signal(false);
	#reading: AbortController | undefined;
	#isStale = false;

	constructor(load: Load<T>) {
		this.#load = load;
	}

	/** What was read last; it stays while it is read again. */
	get value(): ReadonlySignal<T | undefined> {
		return this.#value;
	}

	/** Why it could not be read the last time. */
	get error(): ReadonlySignal<Error | undefined> {
		return this.#error;
	}

	get isLoading(): ReadonlySignal<boolean> {
		return this.#isLoading;
	}

	/** Read it again. While it is being read, once more behind that: what is read now may be old already. */
	async reload(): Promise<void> {
		if (this.#reading !== undefined) {
			this.#isStale = true;
			return;
		}
		const reading = new AbortController();
		this.#reading = reading;
		this.#isLoading.value = true;
		try {
			do {
				this.#isStale = false;
				await this.#read(reading.signal);
			} while (this.#isStale && !reading.signal.aborted);
		} finally {
			if (this.#reading === reading) this.#reading = undefined;
			this.#isLoading.value = false;
		}
	}

	/** Show something else at once, as what an action has answered. */
	set(value: T): void {
		this.#value.value = value;
	}

	stop(): void {
		this.#reading?.abort();
		this.#reading = undefined;
	}

	async #read(signal: AbortSignal): Promise<void> {
		try {
			const value = await this.#load(signal);
			if (signal.aborted) return;
			this.#value.value = value;
			this.#error.value = undefined;
		} catch (error) {
			if (signal.aborted) return;
			if (isSvcError(error, "SVC_UNAUTHORIZED")) session.end();
			this.#error.value = error instanceof Error ? error : new Error(String(error));
		}
	}
}

/**
 * Read something for a component: when it appears, when `inputs` change, and when `isTouched` says that an event changes it, at most
 * four times a second. Events that may have been missed always count.
 */
export function useResource<T>(
	load: Load<T>,
	inputs: readonly unknown[],
	{ isTouched }: { readonly isTouched?: (event: NonNullable<Parameters<LiveListener>[0]>) => boolean } = {},
): Resource<T> {
	const resource = useMemo(() => new Resource(load), inputs);
	useEffect(() => {
		void resource.reload();
		let timer: ReturnType<typeof setTimeout> | undefined;
		const leave = live.listen((event) => {
			if (timer !== undefined || (event !== undefined && isTouched?.(event) !== true)) return;
			timer = setTimeout(() => {
				timer = undefined;
				void resource.reload();
			}, 250);
		});
		return () => {
			leave();
			clearTimeout(timer);
			resource.stop();
		};
	}, [resource]);
	return resource;
}

/** Read it again every so many milliseconds while the page is seen, where no event tells that it has changed; undefined: not any more. */
export function useRepeated<T>(resource: Resource<T>, every: number | undefined): Resource<T> {
	useEffect(() => {
		if (every === undefined) return;
		const timer = setInterval(() => {
			if (document.visibilityState === "visible") void resource.reload();
		}, every);
		return () => clearInterval(timer);
	}, [resource, every]);
	return resource;
}
