import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";
import { beginsAs } from "../_image-names/index.ts";
import { assertNoNul, createScriptInput, toEnvironment } from "../_shell/index.ts";
import { container } from "./kube-objects.ts";
import type { KubernetesJobOptions } from "./options.ts";
import type { JobContext } from "./parameters.ts";

type Values = JobContext["runnerParameters"];

export const labels = {
	installation: "svc-automation/installation",
	liveaction: "svc-automation/liveaction",
	execution: "svc-automation/execution",
} as const;
/** Annotation with the id of the `JobRun` that follows the job. Only the latest holder may end the job. */
export const holderAnnotation = "svc-automation/holder";
/** Annotation of a job that the service has started. If such a job is suspended, an administrator has suspended it. */
export const begunAnnotation = "svc-automation/begun";

export interface Manifests {
	readonly namespace: string;
	readonly name: string;
	readonly secret: JsonObject;
	readonly job: JsonObject;
}

interface ManifestRequest {
	readonly context: JobContext;
	readonly options: KubernetesJobOptions;
	/** Namespace of actions that name none. */
	readonly namespace: string;
	/** Contents of the entry point; undefined for an action without one. */
	readonly script: string | undefined;
	readonly holder: string;
}

const nameOf = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const labelKey = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const quantity = /^[0-9]{1,15}(\.[0-9]{1,9})?(m|[kMGTPE]|[KMGTPE]i)?$/;
const image = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,511}$/;
const scriptKey = "entry-point";
const scriptDirectory = "/svc";

/**
 * Returns the Kubernetes objects of a run. Throws `SVC_INVALID` for a parameter that is not allowed. Each parameter becomes a separate
 * value in the manifest, so that none can change another part of it.
 */
export function toManifests({ context, options, namespace, script, holder }: ManifestRequest): Manifests {
	const { runnerParameters: values, liveaction_id, execution_id } = context;
	const { installation = "svc" } = options;
	const name = `svc-${liveaction_id}`;
	const input = script === undefined ? { args: [], environment: {} } : createScriptInput(context, {});
	const environment = { ...toEnvironment(values.env), ...input.environment, ...context.environment };
	const marked = { [labels.installation]: installation, [labels.liveaction]: liveaction_id, [labels.execution]: execution_id };
	const command = toCommand(values, script === undefined ? undefined : input.args);
	return {
		name,
		namespace: toChoice("namespace", values.namespace || namespace, options.namespaces ?? [namespace]),
		secret: {
			apiVersion: "v1",
			kind: "Secret",
			metadata: { name, labels: marked },
			stringData: { ...environment, ...(script === undefined ? {} : { [scriptKey]: script }) },
		},
		job: {
			apiVersion: "batch/v1",
			kind: "Job",
			metadata: { name, labels: marked, annotations: { [holderAnnotation]: holder } },
			spec: {
				// Suspended until its id is stored. If an administrator deletes a job whose id is not stored yet, a new job is created, so the deleted
				// one must not have started.
				suspend: true,
				// Only the engine retries failures: a second pod would be a second run.
				backoffLimit: 0,
				completions: 1,
				parallelism: 1,
				ttlSecondsAfterFinished: options.ttl_seconds_after_finished ?? 86_400,
				...toDeadline(values),
				template: {
					metadata: { labels: marked },
					spec: {
						...toPodSpec(values, options),
						containers: [toContainer({ values, options, name, command, environment: Object.keys(environment), script })],
						...toVolumes(name, script),
					},
				},
			},
		},
	};
}

function toPodSpec(values: Values, options: KubernetesJobOptions): JsonObject {
	const { service_account, node_selector, image_pull_secrets } = values;
	const secrets = toTexts("image_pull_secrets", image_pull_secrets);
	for (const secret of secrets ?? [])
		if (!nameOf.test(secret)) throw refuse("image_pull_secrets", `"${secret}" is not a valid name of a Secret`);
	return {
		restartPolicy: "Never",
		terminationGracePeriodSeconds: options.kill_grace ?? 5,
		automountServiceAccountToken: Boolean(service_account),
		...(service_account ? { serviceAccountName: toChoice("service_account", service_account, options.service_accounts ?? []) } : {}),
		...(node_selector == null ? {} : { nodeSelector: toMap("node_selector", node_selector, labelValue) }),
		...(secrets === undefined ? {} : { imagePullSecrets: secrets.map((name) => ({ name })) }),
		securityContext: { seccompProfile: { type: "RuntimeDefault" } },
	};
}

interface ContainerRequest {
	readonly values: Values;
	readonly options: KubernetesJobOptions;
	readonly name: string;
	readonly command: readonly string[] | undefined;
	readonly environment: readonly string[];
	readonly script: string | undefined;
}

function toContainer({ values, options, name, command, environment, script }: ContainerRequest): JsonObject {
	const { requests, limits, cwd, image_pull_policy } = values;
	if (cwd) assertNoNul("cwd", cwd);
	return {
		name: container,
		image: toImage(values.image, options.images),
		imagePullPolicy: image_pull_policy,
		...(command === undefined ? {} : { command: [...command] }),
		...(cwd ? { workingDir: cwd } : {}),
		// Users who may read pods can read the names of the variables. Reading the values requires access to Secrets.
		env: environment.map((key) => ({ name: toVariable(key), valueFrom: { secretKeyRef: { name, key } } })),
		resources: {
			...(requests == null ? {} : { requests: toMap("requests", requests, quantity) }),
			...(limits == null ? {} : { limits: toMap("limits", limits, quantity) }),
		},
		securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
		...(script === undefined ? {} : { volumeMounts: [{ name: scriptKey, mountPath: scriptDirectory, readOnly: true }] }),
	};
}

function toVolumes(name: string, script: string | undefined): JsonObject {
	if (script === undefined) return {};
	const secret = { secretName: name, items: [{ key: scriptKey, path: scriptKey }], defaultMode: 0o555 };
	return { volumes: [{ name: scriptKey, secret }] };
}

/**
 * Returns the command of the container; undefined for the image's own command.
 * @param args Arguments of the script of the action; undefined for an action without a script.
 */
function toCommand(values: Values, args: readonly string[] | undefined): readonly string[] | undefined {
	const { cmd } = values;
	const command = toTexts("command", values.command);
	if ([cmd || undefined, command, args].filter((given) => given !== undefined).length > 1) {
		throw refuse("cmd", 'and "command" cannot be combined, and are only allowed for actions without an entry point');
	}
	const words = args === undefined ? (cmd ? ["/bin/sh", "-c", cmd] : command) : [`${scriptDirectory}/${scriptKey}`, ...args];
	for (const word of words ?? []) assertNoNul("command", word);
	// Escapes `$`: the cluster replaces `$(NAME)` by the value of a variable, and `$$` by `$`.
	return words?.map((word) => word.replaceAll("$", "$$$$"));
}

function toDeadline({ time_limit }: Values): JsonObject {
	if (time_limit == null) return {};
	if (time_limit < 1 || time_limit > 31_536_000) throw refuse("time_limit", "must be a number of seconds from 1 to 31536000");
	return { activeDeadlineSeconds: time_limit };
}

function toImage(given: string, allowed: readonly string[] | undefined): string {
	if (!image.test(given) || given.includes(".."))
		throw refuse("image", "must be the name of an image, such as registry.example.org/lab/tool:1.2");
	if (allowed !== undefined && !allowed.some((beginning) => beginsAs(given, beginning))) {
		throw refuse("image", `must begin with one of the prefixes that the configuration allows: ${allowed.join(", ")}`);
	}
	return given;
}

function toChoice(name: string, given: string, allowed: readonly string[]): string {
	if (!nameOf.test(given)) throw refuse(name, "must consist of lower-case letters, digits, '-' and '.'");
	if (!allowed.includes(given))
		throw refuse(name, `"${given}" is not allowed by the configuration; allowed are ${allowed.join(", ") || "none"}`);
	return given;
}

function toMap(name: string, given: JsonObject, allowed: RegExp): JsonObject {
	if (!isJsonObject(given)) throw refuse(name, "must be an object");
	const entries = Object.entries(given).map(
		([key, value]) => [key, typeof value === "number" || typeof value === "bigint" ? String(value) : value] as const,
	);
	for (const [key, value] of entries) {
		if (!labelKey.test(key) || typeof value !== "string" || !allowed.test(value))
			throw refuse(name, `has "${key}" with a value that the cluster does not accept`);
	}
	return Object.fromEntries(entries);
}

function toTexts(name: string, given: readonly JsonValue[] | null | undefined): readonly string[] | undefined {
	if (given == null) return undefined;
	if (given.length === 0 || given.length > 1_000) throw refuse(name, "must have 1 to 1000 entries");
	return given.map((one) => {
		if (typeof one !== "string") throw refuse(name, "must be a list of strings");
		return one;
	});
}

function toVariable(name: string): string {
	if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw refuse("env", `has "${name}", which is not a valid variable name`);
	return name;
}

function refuse(name: string, what: string): SvcError {
	return new SvcError("SVC_INVALID", `parameter "${name}" ${what}`);
}
