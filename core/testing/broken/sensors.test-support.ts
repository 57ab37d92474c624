import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Sensor, SensorContext } from "../../contract/index.ts";
import { leaveOpen, notToBeStopped } from "./lifecycle.test-support.ts";
import { type Broken, withChanges } from "./refusals.test-support.ts";

/** What happens, for the sensors here to tell of: numbered, and kept so that none is missed between two runs. */
export class Happenings extends EventEmitter<{ happening: [] }> {
	count = 0;

	add(): void {
		this.count++;
		this.emit("happening");
	}
}

/** A small sensor that keeps all promises. */
export function createSoundSensor(happenings: Happenings): Sensor {
	return {
		description: "Tells of what happens.",
		pack: "tests",
		trigger_types: [{ name: "happened" }],
		async run({ signal, state, dispatch }) {
			while (!signal.aborted) {
				const seen = Number((await state.get("seen")) ?? 0);
				if (seen < happenings.count) {
					await dispatch("tests.happened", { number: seen + 1 }, { uniqueKey: `${seen + 1}` });
					await state.set("seen", `${seen + 1}`);
				} else await nextHappening(happenings, signal);
			}
		},
	};
}

async function nextHappening(happenings: Happenings, signal: AbortSignal): Promise<void> {
	if (signal.aborted) return;
	await new Promise<void>((resolve) => {
		const end = () => {
			happenings.off("happening", end);
			signal.removeEventListener("abort", end);
			resolve();
		};
		happenings.on("happening", end);
		signal.addEventListener("abort", end);
	});
}

const registered = "description, trigger types and interval can be registered";
const ownTrigger = "an event is dispatched on one of its own triggers";
const ends = "an abort ends the run within the grace, and then it dispatches nothing";
const noRepeat = "a second run neither repeats nor misses events";
const leavesNothing = "nothing remains open, and a sensor that was not started can be stopped";
const never = new AbortController().signal;

/** Sensors that break a promise. */
export const brokenSensors: readonly Broken<Sensor>[] = [
	{ name: "it has no description", refusedBy: registered, spoil: (sound) => withChanges(sound, { description: "" }) },
	{
		name: "the name of a trigger type holds a space",
		refusedBy: registered,
		spoil: (sound) => withChanges(sound, { trigger_types: [{ name: "has happened" }] }),
	},
	{ name: "it wants to look every second", refusedBy: registered, spoil: (sound) => withChanges(sound, { poll_interval: 1 }) },
	{
		name: "its trigger type is not registered",
		refusedBy: ownTrigger,
		spoil: (sound) => withChanges(sound, { trigger_types: [{ name: "something.else" }] }),
	},
	{
		name: "it dispatches a trigger of somebody else",
		refusedBy: ownTrigger,
		spoil: withDispatch(
			({ dispatch }) =>
				(_, ...rest) =>
					dispatch("core.svc.webhook", ...rest),
		),
	},
	{
		name: "a payload is no JSON",
		refusedBy: ownTrigger,
		spoil: withDispatch(
			({ dispatch }) =>
				(trigger, payload, ...rest) =>
					dispatch(trigger, { ...payload, time: new Date() as never }, ...rest),
		),
	},
	{
		name: "it dispatches when it has been told to end",
		refusedBy: ends,
		spoil: (sound) => withChanges(sound, { run: async (context) => void sound.run(withChanges(context, { signal: never })) }),
	},
	{
		name: "it goes on behind the back of a run that has ended",
		refusedBy: ends,
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					void sound.run(withChanges(context, { signal: never }));
					await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
				},
			}),
	},
	{
		name: "an abort is ignored",
		refusedBy: ends,
		spoil: (sound) => withChanges(sound, { run: (context) => sound.run(withChanges(context, { signal: never })) }),
	},
	{
		name: "an abort makes it fail",
		refusedBy: ends,
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					await sound.run(context);
					context.signal.throwIfAborted();
				},
			}),
		fails: "aborted",
	},
	{
		name: "it takes longer to end than the grace",
		refusedBy: ends,
		spoil: (sound) => withChanges(sound, { run: (context) => sound.run(context).then(() => delay(1_200)) }),
	},
	{
		name: "an abort that came before is overlooked",
		refusedBy: "a run that was aborted before it started ends at once",
		spoil: (sound) =>
			withChanges(sound, { run: (context) => sound.run(context.signal.aborted ? withChanges(context, { signal: never }) : context) }),
	},
	{
		name: "an event is dispatched twice",
		refusedBy: noRepeat,
		spoil: withDispatch(({ dispatch }) => async (trigger, payload) => {
			await dispatch(trigger, payload);
			return dispatch(trigger, payload);
		}),
	},
	{
		name: "each run begins at the beginning again",
		refusedBy: noRepeat,
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					await context.state.delete("seen");
					// Without a key that would tell the host that the event has been there.
					await sound.run(withChanges(context, { dispatch: (trigger, payload) => context.dispatch(trigger, payload) }));
				},
			}),
	},
	{
		name: "a second run sees nothing any more",
		refusedBy: noRepeat,
		spoil(sound) {
			let runs = 0;
			return withChanges(sound, {
				async run(context) {
					if (++runs === 1) return sound.run(context);
					await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
				},
			});
		},
		hangs: true,
	},
	{
		name: "it ends by itself before anything has happened",
		refusedBy: ownTrigger,
		spoil: (sound) => withChanges(sound, { run: async () => {} }),
		fails: "the run ended by itself",
	},
	{
		name: "a server is left open",
		refusedBy: leavesNothing,
		spoil: (sound) =>
			withChanges(sound, {
				async start() {
					await leaveOpen();
				},
			}),
	},
	{
		name: "it cannot be stopped before it was started",
		refusedBy: leavesNothing,
		spoil: notToBeStopped,
		fails: "not started",
	},
];

function withDispatch(toDispatch: (context: SensorContext) => SensorContext["dispatch"]): (sound: Sensor) => Sensor {
	return (sound) => withChanges(sound, { run: (context) => sound.run(withChanges(context, { dispatch: toDispatch(context) })) });
}
