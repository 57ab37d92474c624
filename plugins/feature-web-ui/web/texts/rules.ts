/** Texts of the pages about rules. */

export const noneFound = "No rule matches";
export const noneYet = "There are no rules yet";
export const noneYetStep = "Write a trigger, criteria and an action into a file, and store the rule with `svc rule create rule.yaml`.";

export const tabs = "Views of this rule";
export const definitionTab = "Definition";
export const testTab = "Test";
export const historyTab = "History";
export const disabled = "The rule is disabled: it does nothing until it is enabled";
export const enabled = "The rule is enabled";
export const whenTrigger = (trigger: string) => `When ${trigger}`;
export const criteria = "If";
export const thenAction = (action: string) => `Then ${action}`;
export const noParameters = "No parameters.";
export const noCriteria = "No criteria: the rule acts on every event of its trigger.";

export const enforcements = "Enforcements";
export const noEnforcements = "No enforcement of this rule is stored";
export const noEnforcementsStep =
	"A rule acts if it is enabled, its trigger fires and its criteria match. Test the rule with an event to see why it does not act.";
export const executionNamed = (id: string) => `Execution ${id}`;
export const testWithEvent = "Test with this event";

export const payloadField = "Payload of the event.";
export const customEvent = "Custom event";
export const test = "Test";
export const testResult = "Test result";
export const testStep = "Choose a stored event, or enter one. The test starts no execution.";
export const testedWith = "With the event";
export const wouldAct = "The rule would act, with these parameters:";
export const wouldNotAct = "The rule would not act.";
export const valueIs = "is";
export const butRequired = ", but the rule requires:";
export const latestEvents = "Latest events";
export const noEvents = "No event of this trigger is stored";
export const noEventsStep = "Enter one below.";
export const testWith = (event: string) => `Test with ${event}`;
