import { leaseMutants } from "./leases.ts";
import type { Mutant } from "./mutant.ts";

/** Every mechanism that `npm run mutants` takes out. */
export const allMutants: readonly Mutant[] = [...leaseMutants];
