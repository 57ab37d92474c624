import { defineRunner, type JsonValue, type ParameterValues, type RunContext, SvcError } from "../../core/contract/index.ts";
import {
	type ContainerOptions,
	type ContainerProgram,
	ContainerRuns,
	type ContainerWork,
	limitParameters,
	toArchive,
	toContainerResult,
} from "../_container/index.ts";
import { assertNoNul, toEnvironment, toPythonText } from "../_shell/index.ts";

export type { AllowedMount, ContainerOptions, PullPolicy, RegistryCredentials } from "../_container/index.ts";

const parameters = {
	// Reserved: a caller must not run another image with the mounts, network and other parameters that the action fixes.
	image: { type: "string", required: true, reserved: true, description: "Image, such as `docker.io/library/alpine:3.20`." },
	command: {
		type: "array",
		reserved: true,
		description: "Program and arguments that replace those of the image. Not interpreted by a shell.",
	},
	cmd: { type: "string", reserved: true, description: "Command line for `/bin/sh` of the image; an alternative to `command`." },
	entrypoint: { type: "array", reserved: true, description: "Replaces the entry point of the image." },
	env: { type: "object", description: "Environment variables." },
	cwd: { type: "string", reserved: true, description: "Working directory in the container. Default: that of the image." },
	...limitParameters,
	service_token: {
		type: "boolean",
		default: false,
		reserved: true,
		description: "True to provide the token of the run in the file that `SVC_ACTION_AUTH_TOKEN_FILE` names.",
	},
	timeout: { type: "integer", default: 600, description: "Seconds after which the container is ended." },
} as const;

/** Runs an image through the Docker Engine API. */
export const containerRunner = defineRunner("container", (options: ContainerOptions) => {
	const runs = new ContainerRuns(options);
	return {
		description: "Runs a container.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: true },
		entryPoint: "forbidden",
		check: async () => runs.check(),
		start: async (context) => runs.start(context),
		stop: () => runs.stop(),
		run: async (context) => toContainerResult(context, await runs.run(context, async () => toWork(context))),
		async recover(context, state) {
			const end = await runs.recover(context, state, async () => toWork(context));
			return end === undefined ? undefined : toContainerResult(context, end);
		},
		afterRun: (run) => runs.forget(run),
	};
});

function toWork({ runnerParameters, environment }: RunContext<typeof parameters>): ContainerWork {
	const { image, env, cwd, service_token } = runnerParameters;
	const { SVC_ACTION_AUTH_TOKEN: token } = environment;
	// Users who may inspect containers can read their variables, so the token is removed under each of its names.
	const shown = Object.fromEntries(Object.entries(environment).filter(([, value]) => token === undefined || value !== token));
	const isGiven = service_token && token !== undefined;
	return {
		program: {
			image,
			...toProgram(runnerParameters),
			...(cwd ? { cwd } : {}),
			environment: { ...toEnvironment(env), ...shown, ...(isGiven ? { SVC_ACTION_AUTH_TOKEN_FILE: `${directory}/token` } : {}) },
			...(isGiven ? { directory } : {}),
		},
		limits: runnerParameters,
		...(isGiven ? { archive: toArchive([{ path: "token", mode: 0o444, content: Buffer.from(token) }]) } : {}),
	};
}

/** Directory in the container that only this run uses. */
const directory = "/svc";

function toProgram({ command, cmd, entrypoint }: ParameterValues<typeof parameters>): Pick<ContainerProgram, "command" | "entrypoint"> {
	if (cmd && command) throw new SvcError("SVC_INVALID", 'parameters "cmd" and "command": only one of them may be set');
	const given = entrypoint === null || entrypoint === undefined ? {} : { entrypoint: toTexts("entrypoint", entrypoint) };
	if (cmd) {
		assertNoNul("cmd", cmd);
		return { entrypoint: ["/bin/sh", "-c"], ...given, command: [cmd] };
	}
	return { ...given, ...(command === null || command === undefined ? {} : { command: toTexts("command", command) }) };
}

/** Converts the values of a list to strings, as Python's `str` does. Throws `SVC_INVALID` for an empty list. */
function toTexts(name: string, values: JsonValue): string[] {
	if (!Array.isArray(values) || values.length === 0) throw new SvcError("SVC_INVALID", `parameter "${name}" must be a non-empty list`);
	return values.map((value) => {
		const text = toPythonText(value);
		assertNoNul(name, text);
		return text;
	});
}
