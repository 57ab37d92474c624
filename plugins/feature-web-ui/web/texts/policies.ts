/** Texts of the pages about policies. */

export const noneFound = "No policy matches";
export const none = "There are no policies";
export const noneStep = "Create one to limit the concurrent executions of an action, or to retry failed ones.";
export const createTitle = "Create a policy";
export const created = "The policy is created";
export const deleted = "The policy is deleted";
export const disabled = "The policy is disabled";
export const enabled = "The policy is enabled";
export const changed = "The policy is changed";
export const typeField = "policy_type";
export const actionField = "Ref of the action that the policy applies to. Policies for workers also accept <pack>.* and *.";
