import { setTimeout as delay } from "node:timers/promises";
import type { OutputType, RunAborted, RunContext, Runner, RunResult } from "../../contract/index.ts";
import { leaveOpen, notToBeStopped } from "./lifecycle.test-support.ts";
import { type Broken, withChanges } from "./refusals.test-support.ts";

const never = new AbortController().signal;
const cancelStatement = "an abort (cancel) ends the run within the grace and keeps the output";
const inOrder = "output is emitted completely and in order";
const awaited = "nothing more is emitted on a channel while an emit has not resolved";

/** Runners that break a promise, whatever it is that they run. */
export const brokenRunners: readonly Broken<Runner>[] = [
	{
		name: "one chunk in a hundred is dropped",
		refusedBy: inOrder,
		spoil: withEmit(({ emit }) => {
			let count = 0;
			return async (type, data) => (++count % 100 === 0 ? undefined : emit(type, data));
		}),
	},
	{
		name: "neighbouring chunks change places",
		refusedBy: inOrder,
		spoil: withEmit(({ emit }) => {
			let held: string | undefined;
			return async (type, data) => {
				if (held === undefined) {
					held = data;
					return;
				}
				const first = held;
				held = undefined;
				await emit(type, data);
				await emit(type, first);
			};
		}),
	},
	{
		name: "it goes on emitting after its end",
		refusedBy: inOrder,
		spoil: withEmit(
			({ emit }) =>
				async (type, data) =>
					void delay(1).then(() => emit(type, data)),
		),
	},
	{
		name: "back-pressure is ignored",
		refusedBy: awaited,
		spoil: withEmit(
			({ emit }) =>
				async (type, data) =>
					void emit(type, data),
		),
	},
	{
		name: "output is printed where it does not belong",
		refusedBy: inOrder,
		spoil: withEmit(
			({ emit }) =>
				(_, data) =>
					emit("stderr", data),
		),
	},
	{
		name: "runs at the same time share what one instance remembers",
		refusedBy: "concurrent runs keep their output separate",
		spoil(sound) {
			let current: RunContext;
			return withChanges(sound, {
				async run(context) {
					current = context;
					return sound.run(withChanges(context, { emit: (type, data) => current.emit(type, data) }));
				},
			});
		},
	},
	{
		name: "it runs one action at a time and refuses the others",
		refusedBy: "one instance runs many actions concurrently",
		spoil(sound) {
			let isBusy = false;
			return withChanges(sound, {
				async run(context) {
					if (isBusy) return { succeeded: false, result: {} };
					isBusy = true;
					return sound.run(context).finally(() => (isBusy = false));
				},
			});
		},
	},
	{
		name: "a result is no JSON",
		refusedBy: "a successful action resolves as succeeded, with a result that survives JSON",
		spoil: withResult((end) => ({ ...end, result: { ...end.result, ended: new Date() as never } })),
	},
	{
		name: "a result is a list",
		refusedBy: "a successful action resolves as succeeded, with a result that survives JSON",
		spoil: withResult((end) => ({ ...end, result: [] as never })),
	},
	{
		name: "what has failed is said to have succeeded",
		refusedBy: "a failing action resolves as not succeeded",
		spoil: withResult((end) => ({ ...end, succeeded: true })),
	},
	{
		name: "what has succeeded is said to have failed",
		refusedBy: "a successful action resolves as succeeded, with a result that survives JSON",
		spoil: withResult((end) => ({ ...end, succeeded: false })),
	},
	{
		name: "it throws when an action fails",
		refusedBy: "a failing action resolves as not succeeded",
		spoil: withResult((end) => {
			if (!end.succeeded) throw new Error("exit code 1");
			return end;
		}),
		fails: "exit code 1",
	},
	{
		name: "what it cannot do looks like a failed action",
		refusedBy: "a runner that cannot do its work rejects with an error that states the reason",
		spoil: (sound) => withChanges(sound, { run: (context) => sound.run(context).catch(() => ({ succeeded: false, result: {} })) }),
	},
	{
		name: "a run never ends",
		refusedBy: "a successful action resolves as succeeded, with a result that survives JSON",
		spoil: (sound) => withChanges(sound, { run: () => new Promise(() => {}) }),
	},
	{
		name: "a run that it cannot carry out never ends",
		refusedBy: "a runner that cannot do its work rejects with an error that states the reason",
		spoil: (sound) => withChanges(sound, { run: () => new Promise(() => {}) }),
	},
	{
		name: "it does not say why it cannot do its work",
		refusedBy: "a runner that cannot do its work rejects with an error that states the reason",
		spoil: (sound) => withChanges(sound, { run: (context) => sound.run(context).catch(() => Promise.reject(new Error())) }),
		fails: "Error",
	},
	...(["cancel", "timeout", "shutdown"] as const).map(
		(kind): Broken<Runner> => ({
			name: `an abort is ignored when it is a ${kind}`,
			refusedBy: `an abort (${kind}) ends the run within the grace and keeps the output`,
			spoil: withSignal(({ signal }) => {
				const passed = new AbortController();
				signal.addEventListener("abort", () => (signal.reason as RunAborted).kind === kind || passed.abort(signal.reason));
				return passed.signal;
			}),
		}),
	),
	{
		name: "output comes when the run has ended, and not before",
		refusedBy: cancelStatement,
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					const held: (readonly [OutputType, string])[] = [];
					const end = await sound.run(withChanges(context, { emit: async (...chunk) => void held.push(chunk) }));
					for (const chunk of held) await context.emit(...chunk);
					return end;
				},
			}),
	},
	{
		name: "a run that should go on has ended, and printed nothing",
		refusedBy: cancelStatement,
		spoil: (sound) =>
			withChanges(sound, {
				run: async (context) => (context.runnerParameters["block"] ? { succeeded: true, result: {} } : sound.run(context)),
			}),
	},
	{
		name: "an abort that came before is overlooked",
		refusedBy: "a run that was aborted before it started ends at once",
		spoil: withSignal(({ signal }) => (signal.aborted ? never : signal)),
	},
	{
		name: "an abort takes away what was printed",
		refusedBy: cancelStatement,
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					const end = await sound.run(context);
					if (context.signal.aborted) await context.emit("stdout", "\u001b[2Kended\n");
					return end;
				},
			}),
	},
	{
		name: "an aborted run is said to have succeeded",
		refusedBy: cancelStatement,
		spoil: (sound) =>
			withChanges(sound, {
				run: async (context) => ({ ...(await sound.run(context)), ...(context.signal.aborted ? { succeeded: true } : {}) }),
			}),
	},
	{
		name: "an aborted run throws",
		refusedBy: cancelStatement,
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					const end = await sound.run(context);
					context.signal.throwIfAborted();
					return end;
				},
			}),
		fails: "the test ended the run",
	},
	{
		name: "the abort of one run ends all",
		refusedBy: "an abort ends one run and does not affect the others",
		spoil(sound) {
			const all = new AbortController();
			return withSignal(({ signal }) => {
				signal.addEventListener("abort", () => all.abort(signal.reason));
				return all.signal;
			})(sound);
		},
	},
	{
		name: "it goes on when its output is refused",
		refusedBy: "a run whose output is refused ends",
		spoil: withEmit(
			({ emit }) =>
				(type, data) =>
					emit(type, data).catch(() => {}),
		),
	},
	{
		name: "it tells something else at once than it does",
		refusedBy: "a preview without a run equals the outcome of a run, even if it is repeated",
		spoil: (sound) => withChanges(sound, { runAtOnce: () => ({ succeeded: true, result: { lines: -1 } }) }),
	},
	{
		name: "a server is left open",
		refusedBy: "after stop, no process, socket or file is open",
		spoil: (sound) =>
			withChanges(sound, {
				async run(context) {
					await leaveOpen();
					return sound.run(context);
				},
			}),
	},
	{
		name: "it cannot be stopped before it was started",
		refusedBy: "a runner that was not started can be stopped",
		spoil: notToBeStopped,
		fails: "not started",
	},
];

function withEmit(toEmit: (context: RunContext) => (type: OutputType, data: string) => Promise<void>): (sound: Runner) => Runner {
	return (sound) => withChanges(sound, { run: (context) => sound.run(withChanges(context, { emit: toEmit(context) })) });
}

function withSignal(toSignal: (context: RunContext) => AbortSignal): (sound: Runner) => Runner {
	return (sound) => withChanges(sound, { run: (context) => sound.run(withChanges(context, { signal: toSignal(context) })) });
}

function withResult(change: (end: RunResult) => RunResult): (sound: Runner) => Runner {
	return (sound) => withChanges(sound, { run: async (context) => change(await sound.run(context)) });
}
