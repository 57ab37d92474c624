import { defineStorage } from "../../core/contract/index.ts";
import { MemoryStorage } from "./memory-storage.ts";

/** Keeps everything in the memory of the process: for tests and trials, gone when the service stops. */
export const memoryStorage = defineStorage("memory", () => new MemoryStorage());
