import type { ExecutionEntity } from "../../contract/index.ts";

/** Inserts new executions, all or none, each in the state that it has reached: requested, scheduled, running or final. */
export type StoreAdmitted = (admitted: readonly ExecutionEntity[]) => Promise<void>;

/** Schedules a new execution. `store` inserts it, in the state that it has reached: requested, scheduled, running or final. */
export type Admit = (execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>) => Promise<void>;
