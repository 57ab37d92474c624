import { defineStorage } from "../../core/contract/index.ts";
import { MemoryStorage } from "./memory-storage.ts";

/** Storage in the memory of the process, for tests and trials. All data is lost when the service stops. */
export const memoryStorage = defineStorage("memory", () => new MemoryStorage());
