import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Collects garbage. Returns the bytes of objects and buffers that are still in use. */
export function collectGarbage(): number {
	for (let round = 0; round < 4; round += 1) collect();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
