import { randomBytes } from "node:crypto";
import type { OutputType, RunContext, Runner, RunnerPlugin } from "svc-automation/contract";

/** What may be taken out of a runner, to see that the test notices. */
export const mechanisms = ["look", "position", "removal"] as const;

export type RunnerMechanism = (typeof mechanisms)[number];

/** A runner without some of the mechanisms that keep a restart from harm; with none taken out it is the runner itself. */
export function weakenedRunner(plugin: RunnerPlugin, without: readonly string[]): RunnerPlugin {
	const wanted = mechanisms.filter((mechanism) => without.includes(mechanism));
	if (wanted.length === 0) return plugin;
	return { ...plugin, create: () => wanted.reduce((runner, mechanism) => ways[mechanism](runner), plugin.create() as Runner) };
}

const ways: Readonly<Record<RunnerMechanism, (runner: Runner) => Runner>> = {
	/** Nobody looks for what was begun before: it is begun under a name of its own. */
	look: (runner) => ({
		...runner,
		recover: (context) => runner.run(toOther(context, { liveaction_id: randomBytes(12).toString("hex") })),
	}),
	/** Nobody knows how much of the output is recorded. */
	position: (runner) => ({
		...runner,
		recover: async (context, state) => {
			const before = { stdout: context.captured("stdout").bytes, stderr: context.captured("stderr").bytes, other: 0 };
			const captured = (type: OutputType) => {
				const now = context.captured(type);
				return { ...now, bytes: now.bytes - before[type] };
			};
			return runner.recover?.(toOther(context, { captured }), state);
		},
	}),
	/** What has ended stays. */
	removal: (runner) => ({ ...runner, afterRun: async () => {} }),
};

/** The same but for some of its members. */
function toOther(context: RunContext, others: Partial<RunContext>): RunContext {
	return new Proxy(context, {
		get(target, name) {
			if (name in others) return Reflect.get(others, name);
			const value: unknown = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
}
