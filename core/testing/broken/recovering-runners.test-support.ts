import type { Runner } from "../../contract/index.ts";
import { type Broken, withChanges } from "./refusals.test-support.ts";

const foundAgain = "a run that continues when the service stops is recovered, without gaps or repetitions";

/** Runners with `recovery` that break a promise about it. */
export const brokenRecoveries: readonly Broken<Runner>[] = [
	{
		name: "a run that was left is not found again",
		refusedBy: foundAgain,
		spoil: (sound) => withChanges(sound, { recover: async () => undefined }),
	},
	{
		name: "what was printed before is printed again",
		refusedBy: foundAgain,
		spoil: (sound) =>
			withChanges(sound, {
				recover: async (context, state) =>
					sound.recover?.(withChanges(context, { captured: () => ({ text: "", truncated: false, bytes: 0 }) }), state),
			}),
	},
	{
		name: "no state is saved",
		refusedBy: foundAgain,
		spoil: (sound) => withChanges(sound, { run: (context) => sound.run(withChanges(context, { saveState: async () => {} })) }),
	},
	{
		name: "a run that was found again cannot be ended",
		refusedBy: "a recovered run can be ended",
		spoil: (sound) =>
			withChanges(sound, {
				recover: async (context, state) => sound.recover?.(withChanges(context, { signal: new AbortController().signal }), state),
			}),
	},
	{
		name: "an end that was stored is found again",
		refusedBy: "an end that was not stored is recovered, but not after it was stored",
		spoil: (sound) => withChanges(sound, { afterRun: async () => {} }),
	},
];
