import type { RunnerPlugin, SvcError } from "svc-automation/contract";
export declare const SvcErrorOfPlugin: typeof SvcError;
export declare const mirror: () => RunnerPlugin;
