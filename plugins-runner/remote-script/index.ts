import { defineRunner } from "../../core/contract/index.ts";
import { assertNoNul, createScriptArguments } from "../_shell/index.ts";
import { createFleet, readStagedFiles, remoteParameters } from "../_ssh/index.ts";

const parameters = {
	...remoteParameters,
	debug: { type: "boolean", default: false, description: "Whether the script should tell more; it gets `SVC_ACTION_DEBUG`." },
} as const;

/** Runs a script of a pack on remote hosts: takes it there over SSH, with the directory `lib` beside it, and removes it afterwards. */
export const remoteScript = defineRunner("remote-shell-script", () => {
	const fleet = createFleet();
	return {
		description: "Runs a script of a pack on remote hosts.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "required",
		start: fleet.start,
		stop: fleet.stop,
		async run(context) {
			const { entryPoint, actionParameters, actionSchema, runnerParameters } = context;
			const args = createScriptArguments(actionParameters, actionSchema, runnerParameters.kwarg_op);
			for (const argument of args) assertNoNul("arguments", argument);
			return fleet.run(context, {
				command: { staged: await readStagedFiles(entryPoint), args },
				environment: { SVC_ACTION_DEBUG: runnerParameters.debug ? "True" : "False" },
			});
		},
	};
});
