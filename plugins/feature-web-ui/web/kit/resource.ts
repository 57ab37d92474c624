import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { isSvcError } from "../../../../core/contract/index.ts";
import type { LiveListener } from "./live-events.ts";
import { live, session } from "./service.ts";

/** Function that reads the data of a resource from the service. */
export type Load<T> = (signal: AbortSignal) => Promise<T>;

/** Data that is read from the service and displayed, and read again when it may have changed. */
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

	/** Value of the last successful read. It stays available while the resource is read again. */
	get value(): ReadonlySignal<T | undefined> {
		return this.#value;
	}

	/** Error of the last read; undefined if it succeeded. */
	get error(): ReadonlySignal<Error | undefined> {
		return this.#error;
	}

	get isLoading(): ReadonlySignal<boolean> {
		return this.#isLoading;
	}

	/** Reads the data again. During a read, another read is queued, because the current one may return data from before the change. */
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

	/** Replaces the value without reading, for instance with the response of an action. */
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
 * Reads data for a component: when it mounts, when `inputs` change, and when `isTouched` returns true for an event. Events trigger at most
 * four reads a second. The notification that events may have been missed always triggers a read.
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

/** Reads a resource again every `every` milliseconds while the page is visible, for data without change events. Undefined stops it. */
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
