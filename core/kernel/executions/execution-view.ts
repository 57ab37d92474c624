import type { ExecutionEntity, SnapshotEntity } from "../../contract/index.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import type { ExecutionView } from "./executions-api.ts";

export interface ViewParts {
	readonly sealedSecrets: SealedSecrets;
	/** Whether executions of this runner type are made of others. */
	readonly isWorkflow: (runnerName: string) => boolean;
}

/** An execution with what is needed to show it. What is secret is found out when it is asked for. */
export function toExecutionView(
	entity: ExecutionEntity,
	snapshot: SnapshotEntity,
	{ sealedSecrets, isWorkflow, children = [] }: ViewParts & { readonly children?: readonly string[] },
): ExecutionView {
	let secrets: KnownSecrets | undefined;
	return {
		entity,
		snapshot,
		children,
		isWorkflow: isWorkflow(snapshot.runner.name),
		get secrets() {
			secrets ??= sealedSecrets.ofExecution(entity, snapshot);
			return secrets;
		},
	};
}
