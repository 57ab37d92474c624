import { type BusEvent, type EventBus, isSvcError, type SubscribeOptions } from "../../contract/index.ts";
import { brokenPublishing } from "./event-bus-publishing.test-support.ts";
import { type Broken, withChanges } from "./refusals.test-support.ts";

type Read = () => Promise<IteratorResult<BusEvent, undefined>>;

const done = { done: true, value: undefined } as const;
const never = new AbortController().signal;

/** Event buses that break a promise about subscribing and reading. */
const brokenReading: readonly Broken<EventBus>[] = [
	{
		name: "what comes between subscribe and the first read is lost",
		refusedBy: "events published between subscribe and the first read arrive",
		spoil: (sound) => withChanges(sound, { subscribe: async (names, options) => subscribeLate(sound, names, options) }),
		hangs: true,
	},
	{
		name: "every tenth event comes twice",
		refusedBy: "every subscriber gets every event in the order of publishing",
		spoil: withReads((read) => {
			let count = 0;
			let last: Awaited<ReturnType<Read>> = done;
			return async () => {
				if (count++ % 10 !== 9) last = await read();
				return last;
			};
		}),
	},
	{
		name: "one event in a hundred is lost",
		refusedBy: "a slow reader blocks neither the publisher nor the other readers",
		spoil: withReads((read) => {
			let count = 0;
			return async () => (++count % 100 === 0 ? read().then(read) : read());
		}),
		hangs: true,
	},
	{
		name: "a slow reader misses events and is not told",
		refusedBy: "a reader that exceeds its buffer gets SVC_SUBSCRIBER_LAGGED, without a gap before it",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe(names, { filter = () => true, buffer = 1_000, signal }) {
					let held = 0;
					const fits = (event: BusEvent) => filter(event) && held < buffer && ++held > 0;
					const bus = withReads((read) => () => read().finally(() => held--))(sound);
					return bus.subscribe(names, { signal, filter: fits, buffer: Number.MAX_SAFE_INTEGER });
				},
			}),
		hangs: true,
	},
	{
		name: "a slow reader comes to an end as if there were no more",
		refusedBy: "a reader that exceeds its buffer gets SVC_SUBSCRIBER_LAGGED, without a gap before it",
		spoil: withReads(
			(read) => () => read().catch((error: unknown) => (isSvcError(error, "SVC_SUBSCRIBER_LAGGED") ? done : Promise.reject(error))),
		),
	},
	{
		name: "a slow reader is told again and again",
		refusedBy: "a reader that exceeds its buffer gets SVC_SUBSCRIBER_LAGGED, without a gap before it",
		spoil: withReads((read) => {
			let failure: unknown;
			return async () => {
				if (failure !== undefined) throw failure;
				return read().catch((error: unknown) => Promise.reject((failure = error)));
			};
		}),
		fails: "events behind",
	},
	{
		name: "a reader is told that it is slow, however quickly it reads",
		refusedBy: "a reader that keeps up never lags, regardless of the number of events",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe(names, options) {
					let count = 0;
					const limit = options.buffer ?? 1_000;
					const bus = withReads((read) => async () => {
						if (++count > limit * 10) throw new Error("the buffer is full");
						return read();
					})(sound);
					return bus.subscribe(names, options);
				},
			}),
		fails: "the buffer is full",
	},
	{
		name: "the buffer has no bound",
		refusedBy: "a reader that exceeds its buffer gets SVC_SUBSCRIBER_LAGGED, without a gap before it",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe: (names, options) => sound.subscribe(names, { ...options, buffer: Number.MAX_SAFE_INTEGER }),
			}),
		hangs: true,
	},
	{
		name: "exact names are taken for the beginnings of names",
		refusedBy: "only subscribed names arrive, exactly as written",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe: (names, options) =>
					sound.subscribe(
						names.map((name) => (name.endsWith("*") ? name : `${name}*`)),
						options,
					),
			}),
	},

	{
		name: "a * is taken for itself",
		refusedBy: "a name that ends with * matches every name with that prefix",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe: (names, options) =>
					sound.subscribe(["*"], { ...options, filter: (event) => names.includes(event.name) && (options.filter?.(event) ?? true) }),
			}),
		hangs: true,
	},
	{
		name: "an event comes once for each name that it matches",
		refusedBy: "an event that matches several names of a subscriber arrives once",
		spoil: (sound) =>
			withChanges(sound, {
				async subscribe(names, options) {
					let left = 0;
					let last: Awaited<ReturnType<Read>> = done;
					const bus = withReads((read) => async () => {
						if (left === 0) {
							last = await read();
							left = names.length;
						}
						left--;
						return last;
					})(sound);
					return bus.subscribe(names, options);
				},
			}),
	},
	{
		name: "a filter is ignored",
		refusedBy: "a filter decides which events arrive",
		spoil: (sound) => withChanges(sound, { subscribe: (names, { filter: _, ...options }) => sound.subscribe(names, options) }),
	},
	{
		name: "a filter is asked only when an event is read",
		refusedBy: "events rejected by the filter do not fill the buffer",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe(names, { filter = () => true, ...options }) {
					const bus = withReads((read) => async () => {
						for (;;) {
							const result = await read();
							if (result.done || filter(result.value)) return result;
						}
					})(sound);
					return bus.subscribe(names, options);
				},
			}),
		fails: "events behind",
	},
	{
		name: "the signal ends nothing",
		refusedBy: "the signal ends a waiting reader without an error",
		spoil: (sound) => withChanges(sound, { subscribe: (names, options) => sound.subscribe(names, { ...options, signal: never }) }),
		hangs: true,
	},
	{
		name: "the signal's reason is thrown at the reader",
		refusedBy: "the signal ends a waiting reader without an error",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe(names, options) {
					const bus = withReads((read) => async () => {
						const result = await read();
						options.signal.throwIfAborted();
						return result;
					})(sound);
					return bus.subscribe(names, options);
				},
			}),
		fails: "the abort reason must not be thrown",
	},
	{
		name: "a signal that has aborted before is overlooked",
		refusedBy: "an already aborted signal returns a finished iterable",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe: (names, options) => sound.subscribe(names, options.signal.aborted ? { ...options, signal: never } : options),
			}),
		hangs: true,
	},
	{
		name: "what had arrived is handed on after the end",
		refusedBy: "the signal ends a lagging reader without an error",
		spoil: (sound) =>
			withChanges(sound, {
				subscribe: (names, options) =>
					withReads((read) => () => (options.signal.aborted ? Promise.resolve({ value: { name: "late", data: {} } }) : read()))(
						sound,
					).subscribe(names, options),
			}),
	},
	{
		name: "the end of one reader is the end of all",
		refusedBy: "the end of one subscriber does not affect the others",
		spoil(sound) {
			const all = new AbortController();
			return withChanges(sound, {
				subscribe(names, options) {
					options.signal.addEventListener("abort", () => all.abort());
					return sound.subscribe(names, { ...options, signal: all.signal });
				},
			});
		},
	},
	{
		name: "a reader that has left its loop goes on being served",
		refusedBy: "leaving the loop ends the subscription",
		spoil: (sound) =>
			withChanges(sound, {
				async subscribe(names, options) {
					const events = (await sound.subscribe(names, options))[Symbol.asyncIterator]();
					return { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) };
				},
			}),
	},
];

export const brokenEventBuses: readonly Broken<EventBus>[] = [...brokenReading, ...brokenPublishing];

/** A bus whose readers read in another way. */
function withReads(toRead: (read: Read) => Read): (sound: EventBus) => EventBus {
	return (sound) =>
		withChanges(sound, {
			async subscribe(names, options) {
				const events = (await sound.subscribe(names, options))[Symbol.asyncIterator]();
				const next = toRead(() => events.next());
				const reader = { next, return: async () => (await events.return?.()) ?? done };
				return { [Symbol.asyncIterator]: () => reader };
			},
		});
}

/** Subscribes when the first event is asked for, as a generator does. */
async function* subscribeLate(sound: EventBus, names: readonly string[], options: SubscribeOptions): AsyncGenerator<BusEvent, undefined> {
	for await (const event of await sound.subscribe(names, options)) yield event;
}
