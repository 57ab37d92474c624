import type { ActionEntity } from "./action.ts";
import type { EntityKindDefinition } from "./kind.ts";
import type { RunnerTypeEntity } from "./runner-type.ts";

/** Action and runner type at one time. The id is derived from the content, so that equal snapshots are stored once. */
export interface ActionSnapshotEntity {
	readonly id: string;
	readonly action: ActionEntity;
	readonly runner: RunnerTypeEntity;
}

export const snapshotKind: EntityKindDefinition<ActionSnapshotEntity> = {
	fields: { id: "text", action: "json", runner: "json" },
	shareable: true,
};
