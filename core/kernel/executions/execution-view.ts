import type { ExecutionEntity, SnapshotEntity } from "../../contract/index.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
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
	return new ShownExecution({ entity, snapshot, children, isWorkflow: isWorkflow(snapshot.runner.name) }, sealedSecrets);
}

/** A class for the sake of its getter: V8 keeps that of a single object, and all that its function can see, until it collects the whole heap. */
class ShownExecution implements ExecutionView {
	readonly entity: ExecutionEntity;
	readonly snapshot: SnapshotEntity;
	readonly children: readonly string[];
	readonly isWorkflow: boolean;
	readonly #sealedSecrets: SealedSecrets;
	#secrets: KnownSecrets | undefined;

	constructor({ entity, snapshot, children, isWorkflow }: Omit<ExecutionView, "secrets">, sealedSecrets: SealedSecrets) {
		this.entity = entity;
		this.snapshot = snapshot;
		this.children = children;
		this.isWorkflow = isWorkflow;
		this.#sealedSecrets = sealedSecrets;
	}

	get secrets(): KnownSecrets {
		this.#secrets ??= this.#sealedSecrets.ofExecution(this.entity, this.snapshot);
		return this.#secrets;
	}
}
