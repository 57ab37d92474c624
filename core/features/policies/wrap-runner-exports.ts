import type { AtOnceContext, Runner } from "../../contract/index.ts";

/** Returns the members of a runner that its wrapper keeps unchanged. */
export function keepMembers(runner: Runner) {
	const { description, outputKey, entryPoint, definitions, packTools, packSensors } = runner;
	return {
		description,
		...(outputKey !== undefined && { outputKey }),
		...(entryPoint !== undefined && { entryPoint }),
		...(definitions !== undefined && { definitions }),
		...(packTools !== undefined && { packTools }),
		...(packSensors !== undefined && { packSensors }),
		...(runner.prepare !== undefined && {
			prepare: (pack: Parameters<NonNullable<Runner["prepare"]>>[0]) => runner.prepare?.(pack) ?? Promise.resolve(),
		}),
	} satisfies Partial<Runner>;
}

/** Returns `runAtOnce` of the runner, restricted to runs for which `isHere` returns true. Empty if the runner has none. */
export function keepRunAtOnce(runner: Runner, isHere: (context: AtOnceContext) => Promise<boolean>): Pick<Runner, "runAtOnce"> {
	if (runner.runAtOnce === undefined) return {};
	return { runAtOnce: async (context) => ((await isHere(context)) ? runner.runAtOnce?.(context) : undefined) };
}
