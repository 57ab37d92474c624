import { type BusEvent, type EventBus, type EventData, type JsonObject, stringifyJson } from "../../contract/index.ts";
import { type Broken, mapValues, withChanges } from "./refusals.test-support.ts";

/** Event buses that break a promise about publishing, or about stopping. */
export const brokenPublishing: readonly Broken<EventBus>[] = [
	{
		name: "neighbours change places",
		refusedBy: "every subscriber gets every event in the order of publishing",
		spoil(sound) {
			const held: BusEvent[] = [];
			return withChanges(sound, {
				publish(name, data) {
					held.push({ name, data });
					if (held.length === 2) for (const event of held.splice(0).reverse()) sound.publish(event.name, event.data);
				},
			});
		},
	},
	{
		name: "a slow reader holds up the others",
		refusedBy: "a slow reader blocks neither the publisher nor the other readers",
		spoil: holdingUp,
		hangs: true,
	},
	{
		name: "big data is cut",
		refusedBy: "name and data arrive unchanged",
		spoil: changingText((text) => text.slice(0, 8_000)),
	},
	{
		name: "a NUL is left out",
		refusedBy: "name and data arrive unchanged",
		spoil: changingText((text) => text.replaceAll("\0", "")),
	},
	{
		name: "upper and lower case are the same",
		refusedBy: "only subscribed names arrive, exactly as written",
		spoil: (sound) => withChanges(sound, { publish: (name, data) => sound.publish(name.toLowerCase(), data) }),
	},
	{
		name: "publish without a subscriber throws",
		refusedBy: "publish without a subscriber does nothing",
		spoil: (sound) =>
			withChanges(sound, {
				publish: (name) => {
					throw new Error(`nobody listens to ${name}`);
				},
			}),
		fails: "nobody listens",
	},
	{
		name: "what is published while an event is handed on is lost",
		refusedBy: "events that a reader publishes arrive",
		spoil(sound) {
			let isBusy = false;
			return withChanges(sound, {
				publish(name, data) {
					if (isBusy) return;
					isBusy = true;
					sound.publish(name, data);
					setImmediate(() => (isBusy = false));
				},
			});
		},
		hangs: true,
	},
	{
		name: "stop leaves readers waiting",
		refusedBy: "stop ends every subscriber, and a second stop does nothing",
		spoil: (sound) => withChanges(sound, { stop: async () => {} }),
		hangs: true,
	},
	{
		name: "a second stop fails",
		refusedBy: "stop ends every subscriber, and a second stop does nothing",
		spoil(sound) {
			let hasStopped = false;
			return withChanges(sound, {
				async stop() {
					if (hasStopped) throw new Error("stopped already");
					hasStopped = true;
					await sound.stop?.();
				},
			});
		},
		fails: "stopped already",
	},
	{
		name: "the bus says that it is shared and cannot be connected to",
		refusedBy: "a shared bus has `connect`, which the statements about shared buses need",
		spoil: (sound) => withChanges(sound, { capabilities: { shared: true } }),
	},
];

/** Buses for several nodes that break a promise between them. */
export const brokenSharedBuses: readonly Broken<EventBus>[] = [
	{
		name: "the bus does not say that it is shared",
		refusedBy: "it has the capability shared",
		spoil: (sound) => withChanges(sound, { capabilities: {} }),
	},
	{
		name: "every event is sent twice",
		refusedBy: "events reach the other node, in the order of publishing, in both directions",
		spoil: (sound) =>
			withChanges(sound, {
				publish(name, data) {
					sound.publish(name, data);
					sound.publish(name, data);
				},
			}),
	},
	{
		name: "a node gets back its own events",
		refusedBy: "a node receives its own events once",
		spoil: echoing,
	},
	{
		name: "events of more than 8,000 bytes are dropped",
		refusedBy: "name and data arrive unchanged, regardless of their size and characters",
		spoil: (sound) => withChanges(sound, { publish: (name, data) => isLarge(data) || sound.publish(name, data) }),
	},
	{
		name: "half a pair of surrogates is mended",
		refusedBy: "name and data arrive unchanged, regardless of their size and characters",
		spoil: changingText((text) => Buffer.from(text).toString()),
	},
	{
		name: "large events are overtaken by small ones",
		refusedBy: "large and small events keep their order",
		spoil: (sound) =>
			withChanges(sound, {
				publish: (name, data) => (isLarge(data) ? void setImmediate(() => sound.publish(name, data)) : sound.publish(name, data)),
			}),
	},
	{
		name: "the last of thousands are lost",
		refusedBy: "thousands of concurrent events arrive, each once",
		spoil(sound) {
			let count = 0;
			return withChanges(sound, { publish: (name, data) => ++count > 9_990 || sound.publish(name, data) });
		},
		hangs: true,
	},
	{
		name: "what was not sent when the node stops is lost",
		refusedBy: "events published before a stop are sent, and the other node continues",
		spoil: (sound) => withChanges(sound, { publish: (name, data) => void setImmediate(() => sound.publish(name, data)) }),
		hangs: true,
	},
	{
		name: "a name that was left and is wanted again is no longer heard",
		refusedBy: "names subscribed later, or again after the last subscriber has left, arrive",
		spoil(sound) {
			const known = new Set<string>();
			return withChanges(sound, {
				subscribe(names, options) {
					const fresh = names.filter((name) => !known.has(name));
					for (const name of names) known.add(name);
					return sound.subscribe(fresh.length === 0 ? ["nothing"] : fresh, options);
				},
			});
		},
		hangs: true,
	},
];

/** Hands an event on when every reader has room. */
function holdingUp(sound: EventBus): EventBus {
	const waiting: BusEvent[] = [];
	const readers = new Set<{ held: number; readonly room: number }>();
	const handOn = () => {
		while (waiting.length > 0 && [...readers].every(({ held, room }) => held < room)) {
			for (const reader of readers) reader.held++;
			const event = waiting.shift();
			if (event !== undefined) sound.publish(event.name, event.data);
		}
	};
	return withChanges(sound, {
		publish(name, data) {
			waiting.push({ name, data });
			handOn();
		},
		async subscribe(names, options) {
			const reader = { held: 0, room: options.buffer ?? 1_000 };
			readers.add(reader);
			const events = (await sound.subscribe(names, options))[Symbol.asyncIterator]();
			const next = async () => {
				const result = await events.next();
				reader.held--;
				handOn();
				return result;
			};
			return { [Symbol.asyncIterator]: () => ({ next }) };
		},
	});
}

/** Events of this node come to it a second time, as those that come from elsewhere do: in a turn of their own. */
function echoing(sound: EventBus): EventBus {
	return withChanges(sound, {
		async subscribe(names, options) {
			const events = (await sound.subscribe(names, options))[Symbol.asyncIterator]();
			const echoes: IteratorResult<BusEvent, undefined>[] = [];
			const next = async () => {
				const echo = echoes.shift();
				if (echo !== undefined) return echo;
				const result = await events.next();
				if (!result.done && result.value.data["number"] === 0) echoes.push(result);
				return result;
			};
			return { [Symbol.asyncIterator]: () => ({ next }) };
		},
	});
}

function changingText(change: (text: string) => string): (sound: EventBus) => EventBus {
	return (sound) =>
		withChanges(sound, {
			publish: (name, data) => sound.publish(name, mapText(data, change)),
		});
}

function mapText(data: EventData, change: (text: string) => string): EventData {
	return mapValues(data as JsonObject, (value) => (typeof value === "string" ? change(value) : value)) as EventData;
}

function isLarge(data: EventData): boolean {
	return stringifyJson(data).length > 8_000;
}
