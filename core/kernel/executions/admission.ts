import type { ExecutionEntity } from "../../contract/index.ts";

/** Stores new executions, all or none, in the state that they have reached by then. */
export type StoreAdmitted = (admitted: readonly ExecutionEntity[]) => Promise<void>;

/** Has `store` store a new execution in the state that it has reached by then, and schedules its run. */
export type Admit = (execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>) => Promise<void>;
