import { boundsMutants } from "./bounds.ts";
import { durabilityMutants } from "./durability.ts";
import { leaseMutants } from "./leases.ts";
import type { Mutant } from "./mutant.ts";
import { rightsMutants } from "./rights.ts";
import { secretsMutants } from "./secrets.ts";
import { writeMutants } from "./writes.ts";

/** Every mechanism that `npm run mutants` takes out. */
export const allMutants: readonly Mutant[] = [
	...leaseMutants,
	...rightsMutants,
	...writeMutants,
	...boundsMutants,
	...secretsMutants,
	...durabilityMutants,
];
