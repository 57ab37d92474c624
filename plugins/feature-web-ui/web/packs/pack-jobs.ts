import type { ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { PackJobRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { notices } from "../kit/notices.ts";
import { session } from "../kit/service.ts";
import * as texts from "../texts/packs.ts";

/**
 * Milliseconds between two reads of the state of packs that the service follows in git. The state is stored after the execution has ended,
 * and no event announces it.
 */
export const followedInterval = 5_000;

/** Operations on packs. Each one is an execution of the action with this name in the pack `packs`. */
export type PackJobName = "install" | "upgrade" | "rollback" | "uninstall" | "look";

const force = { type: "boolean", description: texts.forceField } as const;
const skipDependencies = { type: "boolean", description: texts.skipDependenciesField } as const;

/** Fields of the form for the options of each job. */
export const jobSchemas = {
	install: {
		source: {
			type: "string",
			required: true,
			description: texts.sourceField,
		},
		force,
		skip_dependencies: skipDependencies,
	},
	upgrade: { force, skip_dependencies: skipDependencies },
	rollback: { version: { type: "string", description: texts.rollBackVersionField } },
	uninstall: { force: { type: "boolean", description: texts.forceUninstallField } },
} as const satisfies Readonly<Record<string, ParameterDefinitions>>;

export function mayBegin(job: PackJobName): boolean {
	return session.may(job === "uninstall" ? "pack_uninstall" : "pack_install") && session.may("action_execute", `action:packs:${job}`);
}

/** Returns true if an event is about the execution of a pack job. */
export function isPackJob({ data }: { readonly data: unknown }): boolean {
	return /^packs\./.test(String((data as { readonly action?: { readonly ref?: unknown } } | null)?.action?.ref));
}

/** Starts a job and opens the output of its execution. If the user may not see it, a message shows its id. */
export async function beginJob(job: PackJobName, begin: () => Promise<Pick<PackJobRecord, "execution_id">>): Promise<void> {
	const { execution_id: id } = await begin();
	if (session.may("action_view", `action:packs:${job}`)) location.hash = toExecutionHref(id, "log");
	else notices.say(texts.startedJob(id));
}
