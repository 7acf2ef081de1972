-- Who answers for a robot.

ALTER TABLE users ADD COLUMN robot_of TEXT;
