import { defineRunner, type RunContext } from "../../core/contract/index.ts";
import { contentParameters, PackRevisions } from "../_content/index.ts";
import { createScriptInput, type SecretArgumentOptions } from "../_shell/index.ts";
import { createRemoteRuns, readStagedFiles, remoteParameterSchema } from "../_ssh/index.ts";

const parameters = {
	...remoteParameterSchema,
	svc_content_version: contentParameters.content_version,
	svc_debug: { type: "boolean", default: false, description: "True to request verbose output; sets `SVC_ACTION_DEBUG`." },
} as const;

/**
 * Runs a script of a pack on remote hosts. Copies it to the hosts over SSH, with the directory `lib` next to it, and removes it afterwards.
 */
export const remoteScript = defineRunner("remote-shell-script", (options: SecretArgumentOptions) => {
	const fleet = createRemoteRuns();
	const versions = new PackRevisions("remote-shell-script");
	return {
		description: "Runs a script of a pack on remote hosts.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "required",
		async start(context) {
			await fleet.start(context);
			await versions.start(context);
		},
		stop: fleet.stop,
		run: (context) =>
			versions.use(toContentRun(context), async ({ entryPoint }) => {
				const { args, environment } = createScriptInput(context, options);
				return fleet.run(context, {
					command: { staged: await readStagedFiles(entryPoint), args },
					environment: { ...environment, SVC_ACTION_DEBUG: context.runnerParameters.svc_debug ? "True" : "False" },
				});
			}),
	};
});

/** Returns the members of a run that determine its files. This runner's parameters have the prefix of the service. */
function toContentRun(context: RunContext<typeof parameters>) {
	const { liveaction_id, pack, entryPoint, packDirectory, signal } = context;
	const { svc_content_version: content_version, svc_debug: debug } = context.runnerParameters;
	return { liveaction_id, pack, entryPoint, packDirectory, signal, runnerParameters: { content_version, debug } };
}
